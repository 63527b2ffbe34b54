import { type ExperimentResults, METRICS_OF_EXPERIMENT, VARIANTS } from '@truetally/contracts/experiments';

const COLUMNS = [
  'arm',
  'measure',
  'eligible_sessions',
  'converted_sessions',
  'value',
  'standard_error',
  'level',
  'low',
  'high',
  'skewness',
  'skewed',
  'adjusted_low',
  'adjusted_high',
  'currency',
  'reason',
] as const;

/** One row per arm and measure (interface page, section 7); a missing value is empty, with its reason. */
export function resultsCsv({ arms, currency }: ExperimentResults): string {
  const rows = VARIANTS.flatMap((arm) =>
    METRICS_OF_EXPERIMENT.map((measure) => {
      const { eligible_sessions, converted_sessions, [measure]: estimate } = arms[arm];
      const interval = estimate.confidence_interval;
      const mean = 'skewness' in estimate ? estimate : undefined;
      return [
        arm,
        measure,
        eligible_sessions,
        converted_sessions,
        estimate.value,
        estimate.standard_error,
        interval?.level,
        interval?.low,
        interval?.high,
        mean?.skewness,
        estimate.skewed,
        mean?.adjusted_interval?.low,
        mean?.adjusted_interval?.high,
        measure === 'conversion' ? undefined : currency,
        estimate.reason,
      ];
    }),
  );
  // Only names, numbers and `true` or `false`: nothing needs quotes.
  return [COLUMNS, ...rows].map((row) => `${row.map((cell) => cell ?? '').join(',')}\r\n`).join('');
}
