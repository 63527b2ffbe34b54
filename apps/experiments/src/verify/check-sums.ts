import type { ClientBase } from 'pg';
import { EMPTY_SUMS, HOUR_FIELDS, SUM_FIELDS, type Sums } from '../domain/account.js';
import type { SumChanges } from '../domain/sum-changes.js';
import { type Named, readStoredSums } from '../storage/verification-reads.js';

/** Compares the stored sums of an experiment with what its sessions come to. @returns the first difference, or null */
export async function checkSums(
  client: ClientBase,
  experimentId: string,
  wanted: SumChanges,
): Promise<string | null> {
  const stored = await readStoredSums(client, experimentId);
  return (
    firstDifference(
      'arm',
      new Map([...wanted.arms.values()].map(({ variant, total }) => [variant, total.sums])),
      stored.arms,
    ) ??
    firstDifference(
      'hour',
      new Map(
        [...wanted.hours.values()].map(({ variant, hourMs, total }) => [`${variant} ${hourMs}`, total.sums]),
      ),
      stored.hours,
      HOUR_FIELDS,
    ) ??
    firstOther(
      'part of the sample',
      [...wanted.parts.values()].map((part) => [
        `${part.dimension} ${part.value}`,
        `${part.control}/${part.treatment}`,
      ]),
      stored.parts.filter(([, sessions]) => sessions !== '0/0'),
    ) ??
    firstOther(
      'currency',
      [...wanted.currencies.values()].map(({ currency, orders }) => [currency, String(orders)]),
      stored.currencies,
    )
  );
}

function firstDifference(
  kind: string,
  wanted: ReadonlyMap<string, Sums>,
  stored: ReadonlyMap<string, Sums>,
  fields: readonly (keyof Sums)[] = SUM_FIELDS,
): string | null {
  for (const name of new Set([...wanted.keys(), ...stored.keys()])) {
    const [should, is] = [wanted.get(name) ?? EMPTY_SUMS, stored.get(name) ?? EMPTY_SUMS];
    const field = fields.find((one) => should[one] !== is[one]);
    if (field !== undefined) return `${kind} ${name} has ${field} ${is[field]} instead of ${should[field]}`;
  }
  return null;
}

/** The same for text values; missing and zero are equal. */
function firstOther(kind: string, wanted: Named, stored: Named): string | null {
  const [should, is] = [new Map(wanted), new Map(stored)];
  for (const name of new Set([...should.keys(), ...is.keys()])) {
    const [one, other] = [should.get(name) ?? '0', is.get(name) ?? '0'];
    if (one !== other) return `${kind} ${name} has ${other} instead of ${one}`;
  }
  return null;
}
