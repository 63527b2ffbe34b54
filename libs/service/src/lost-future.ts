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
    ({ incarnation, restoredToMs }) => timestampMs > restoredToMs && incarnationOf(headers) < incarnation,
  );
}
