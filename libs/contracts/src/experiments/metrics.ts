export const METRICS_OF_EXPERIMENT = [
  'conversion',
  'revenue_per_session',
  'gross_profit_per_session',
  'partner_contribution_per_session',
] as const;
export type ExperimentMetric = (typeof METRICS_OF_EXPERIMENT)[number];
