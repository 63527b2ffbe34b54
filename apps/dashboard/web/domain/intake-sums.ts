import type { IntakeHour } from '@truetally/node';

/** Items that failed for one reason, over all hours. */
export interface ReasonSum {
  readonly name: string;
  readonly code: string;
  readonly field: string | null;
  readonly count: number;
}

/** The reasons of all hours, the most frequent first. */
export function reasonSums(hours: readonly IntakeHour[]): readonly ReasonSum[] {
  const sums = new Map<string, ReasonSum>();
  for (const { code, field, count } of hours.flatMap((hour) => hour.reasons)) {
    const name = `${code} ${field ?? ''}`;
    sums.set(name, { name, code, field, count: count + (sums.get(name)?.count ?? 0) });
  }
  return [...sums.values()].sort((left, right) => right.count - left.count);
}

/** Requests refused whole, by status, over all hours. */
export function statusSums(hours: readonly IntakeHour[]) {
  const sums = new Map<number, number>();
  for (const { status, count } of hours.flatMap((hour) => hour.refused_requests)) {
    sums.set(status, count + (sums.get(status) ?? 0));
  }
  return [...sums]
    .map(([status, count]) => ({ status, count }))
    .sort((left, right) => left.status - right.status);
}
