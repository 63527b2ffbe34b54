import type { Effects, ExperimentResource } from '@truetally/node';

export type Metric = keyof Effects;
export type ExperimentState = ExperimentResource['state'];
export type ExperimentAction = 'start' | 'pause' | 'resume' | 'stop';

export const STATES: readonly ExperimentState[] = ['draft', 'running', 'paused', 'stopped'];

/** Which actions a state has (interface page, section 7). */
export const ACTIONS: Readonly<Record<ExperimentState, readonly ExperimentAction[]>> = {
  draft: ['start'],
  running: ['pause', 'stop'],
  paused: ['resume', 'stop'],
  stopped: [],
};

export const METRICS: readonly Metric[] = [
  'conversion',
  'revenue_per_session',
  'gross_profit_per_session',
  'partner_contribution_per_session',
];

const TITLES: Readonly<Record<Metric, string>> = {
  conversion: 'Conversion',
  revenue_per_session: 'Revenue per session',
  gross_profit_per_session: 'Gross profit per session',
  partner_contribution_per_session: 'Partner contribution per session',
};

/** With its unit: a share, or major units of the site's currency. */
export function titleOf(metric: Metric, currency: string): string {
  return `${TITLES[metric]} (${metric === 'conversion' ? 'share of sessions' : currency})`;
}

const REASONS: Readonly<Record<string, string>> = {
  control_is_zero: 'the control’s value is zero',
  control_is_not_positive: 'the control’s value is not positive',
  few_sessions: 'too few sessions yet',
  no_commission_rule: 'no commission rule is in force',
};

/** Why a value is missing, in words. */
export function reasonOf(reason: string | undefined): string {
  if (reason === undefined) return 'not known';
  return REASONS[reason] ?? reason.replaceAll('_', ' ');
}
