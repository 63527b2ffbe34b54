import { incarnationOf, type ReceivedFact } from '@truetally/messaging';
import type { ReportedRestore } from '@truetally/persistence';

/**
 * Whether a restore of Postgres has undone the record that a fact tells of: it was published after the restore's point, by a
 * database of an earlier incarnation. The ledger decides its request again, perhaps with other records under the same ids; and it
 * publishes again what was committed before the point and published after it.
 */
export function isOfLostFuture(
  { timestampMs, headers }: Pick<ReceivedFact, 'headers' | 'timestampMs'>,
  restores: readonly ReportedRestore[],
): boolean {
  return restores.some(
    ({ firstIncarnation, restoredToMs }) =>
      timestampMs > restoredToMs && incarnationOf(headers) < firstIncarnation,
  );
}

/**
 * The same for facts that name no incarnation, because their service publishes them beside its transaction: what was
 * published between a restore's point and the first start since. Services stand still while Postgres is restored, and ingestion
 * reads its requests again from before the point: it publishes each event that the restore has undone once more, under the time
 * at which it is stored.
 */
export function isOfUndoneTime(
  fact: Pick<ReceivedFact, 'timestampMs'>,
  restores: readonly ReportedRestore[],
): boolean {
  // An incarnation is the time at which it began, in milliseconds since 1970.
  return restores.some(
    ({ firstIncarnation, restoredToMs }) =>
      fact.timestampMs > restoredToMs && fact.timestampMs < firstIncarnation,
  );
}
