import type { Consumption, ConsumptionVerdict } from '../storage/limit.store.js';

/** Counts like Postgres: a request that does not fit is refused, and smaller ones behind it are not. */
export function countInMemory(
  usedBefore: number,
  { perHour, costs }: Pick<Consumption, 'costs' | 'perHour'>,
): { readonly used: number; readonly verdict: ConsumptionVerdict } {
  let used = usedBefore;
  const refused = new Set<number>();
  costs.forEach((cost, index) => (used + cost > perHour ? refused.add(index) : (used += cost)));
  const hour = { hourEndsAtSeconds: 3_600, secondsLeft: 60 };
  return { used, verdict: { usedBefore, refused, ...hour, leased: 0, areOthersLent: false } };
}
