/** Measures that can be the primary metric of an experiment. */
export const METRICS_OF_EXPERIMENT = [
  'conversion',
  'revenue_per_session',
  'gross_profit_per_session',
  'partner_contribution_per_session',
] as const;
/** One of `METRICS_OF_EXPERIMENT`. */
export type ExperimentMetric = (typeof METRICS_OF_EXPERIMENT)[number];
