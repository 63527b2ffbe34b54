import type { AnalyticsReport, FunnelPart, FunnelStep, TrafficPoint } from '@truetally/contracts/analytics';
import { MAX_BREAKDOWN_VALUES } from '@truetally/contracts/analytics';
import type { StepCounts } from './funnel.js';
import { formatMicros, type ReportWindow } from './report-window.js';

export interface CountedTraffic {
  readonly byType: ReadonlyMap<string, number>;
  readonly sessions: number;
}

/** What every report says of itself. */
export function presentReport(
  siteId: string,
  window: ReportWindow,
  timeZone: string,
  asOf: string,
): AnalyticsReport {
  return {
    site_id: siteId,
    window: { from: formatMicros(window.from), to: formatMicros(window.to) },
    timezone: timeZone,
    as_of: asOf,
  };
}

export function presentTraffic({ byType, sessions }: CountedTraffic): Omit<TrafficPoint, 'start'> {
  const types = [...byType]
    .filter(([, events]) => events > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const events = types.reduce((sum, [, count]) => sum + count, 0);
  return { events, sessions, by_type: Object.fromEntries(types) };
}

export function presentSteps(steps: readonly string[], counts: StepCounts): readonly FunnelStep[] {
  const first = counts[0] ?? 0;
  return steps.map((eventType, index) => {
    const sessions = counts[index] ?? 0;
    return { event_type: eventType, sessions, share: first === 0 ? null : sessions / first };
  });
}

/** Those with the most sessions first; the rest of many, and what has no value, together at the end. */
export function presentBreakdown(
  steps: readonly string[],
  byValue: ReadonlyMap<string | null, StepCounts>,
): readonly FunnelPart[] {
  const named = [...byValue].flatMap(([value, counts]) => (value === null ? [] : [{ value, counts }]));
  named.sort(
    (one, other) => (other.counts[0] ?? 0) - (one.counts[0] ?? 0) || (one.value < other.value ? -1 : 1),
  );
  const shown = named.slice(0, MAX_BREAKDOWN_VALUES);
  const unnamed = byValue.get(null);
  const rest = [
    ...named.slice(MAX_BREAKDOWN_VALUES).map(({ counts }) => counts),
    ...(unnamed ? [unnamed] : []),
  ];
  const parts = shown.map(({ value, counts }) => ({ value, steps: presentSteps(steps, counts) }));
  return rest.length === 0
    ? parts
    : [...parts, { value: null, steps: presentSteps(steps, sumOf(steps, rest)) }];
}

/** Step by step. */
export function sumOf(steps: readonly string[], counts: readonly StepCounts[]): StepCounts {
  return steps.map((_, step) => counts.reduce((sum, one) => sum + (one[step] ?? 0), 0));
}
