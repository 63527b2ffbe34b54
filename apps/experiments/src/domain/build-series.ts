import type { ExperimentResource, SeriesPoint, Variant } from '@truetally/contracts/experiments';
import { formatInstant } from '@truetally/kernel';
import { RunningSums, type Sums } from './account.js';
import { type ArmSums, countsOf, effectOn, powerAt } from './build-results.js';
import { REASONS } from './statistics/arm-estimates.js';
import { sampleRatio } from './statistics/sample-ratio.js';

export const SERIES_INTERVALS = ['hour', 'day'] as const;
export type SeriesInterval = (typeof SERIES_INTERVALS)[number];

/** Maximum number of points of an answer (interface page, section 7). */
export const MAX_POINTS = 400;

const INTERVAL_MS: Readonly<Record<SeriesInterval, number>> = { hour: 3_600_000, day: 86_400_000 };

/** The change of an arm's sums in an hour. */
export interface HourSums {
  readonly hourMs: number;
  readonly variant: Variant;
  readonly sums: Sums;
}

/** Number of points from an experiment's start to `untilMs`. */
export function pointsOf(startMs: number, untilMs: number, interval: SeriesInterval): number {
  const step = INTERVAL_MS[interval];
  return Math.floor(untilMs / step) - Math.floor(startMs / step) + 1;
}

/**
 * The primary metric at the end of each interval (UTC), by the records until then; the last interval ends at
 * `untilMs`. The latest `MAX_POINTS`.
 * @param hours ascending
 */
export function buildSeries(
  experiment: ExperimentResource,
  currency: string,
  hours: readonly HourSums[],
  { interval, untilMs }: { readonly interval: SeriesInterval; readonly untilMs: number },
): readonly SeriesPoint[] {
  if (experiment.started_at === null) return [];
  const step = INTERVAL_MS[interval];
  const first = Math.floor(Date.parse(experiment.started_at) / step) * step;
  const points = pointsOf(first, untilMs, interval);
  const running = { control: new RunningSums(), treatment: new RunningSums() };
  const arms: ArmSums = { control: running.control.sums, treatment: running.treatment.sums };
  let next = 0;
  const series: SeriesPoint[] = [];
  for (let point = 1; point <= points; point += 1) {
    const end = first + point * step;
    for (let hour = hours[next]; hour !== undefined && hour.hourMs < end; hour = hours[next]) {
      running[hour.variant].add(hour.sums);
      next += 1;
    }
    if (points - point < MAX_POINTS) series.push(pointAt(experiment, currency, arms, Math.min(end, untilMs)));
  }
  return series;
}

function pointAt(experiment: ExperimentResource, currency: string, arms: ArmSums, atMs: number): SeriesPoint {
  const effect = effectOn(
    experiment.primary_metric,
    { experiment, currency, arms },
    powerAt(experiment, arms),
    HOURS_HAVE_CUBES,
  );
  const { state, p_value, reason } = sampleRatio(countsOf(arms), experiment.allocation);
  const arm = (variant: Variant) => ({
    eligible_sessions: Number(arms[variant].sessions),
    converted_sessions: Number(arms[variant].converted_sessions),
  });
  return {
    at: formatInstant(atMs),
    arms: { control: arm('control'), treatment: arm('treatment') },
    effect: {
      absolute: effect.absolute,
      confidence_interval: effect.confidence_interval,
      skewed: effect.skewed,
      sequential: effect.sequential,
      ...reasonOf(effect.reason === REASONS.noSkewness ? undefined : effect.reason),
    },
    sample_ratio: { state, p_value, ...reasonOf(reason) },
  };
}

/** A point needs no skewness: `skewed` then goes by the number of conversions alone. */
const HOURS_HAVE_CUBES = false;

function reasonOf(reason: string | undefined): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}
