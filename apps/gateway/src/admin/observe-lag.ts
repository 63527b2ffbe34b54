import type { GroupLag, Messaging } from '@truetally/messaging';
import type { Metrics } from '@truetally/platform';

/** How long a reading is reused by later scrapes: it costs Kafka a request per group. */
const KEPT_MS = 10_000;

type Labelled = readonly [{ readonly group: string; readonly topic: string }, number];
type Measure = 'expired' | 'lag';

/**
 * Reports how many records of a topic each consumer group has yet to read, over all partitions, and how many its
 * log has removed before the group read them: also of a group without a running member. Read from Kafka at each scrape; left out while Kafka is unavailable.
 */
export function observeLag(metrics: Metrics, messaging: Pick<Messaging, 'lag'>, nowMs: () => number): void {
  let kept: { readonly items: Promise<readonly GroupLag[]>; readonly atMs: number } | undefined;
  // Both measures wait for one question, and so do scrapes while Kafka hangs.
  const asked = (): Promise<readonly GroupLag[]> => {
    if (kept === undefined || nowMs() - kept.atMs >= KEPT_MS)
      kept = { items: messaging.lag(), atMs: nowMs() };
    return kept.items;
  };
  const read = async (measure: Measure): Promise<readonly Labelled[]> => {
    try {
      return sumOverPartitions(await asked(), measure);
    } catch {
      kept = undefined;
      // `dependency_up` reports that Kafka is unavailable; the other metrics must stay readable.
      return [];
    }
  };
  const labels = ['group', 'topic'] as const;
  metrics.observedAll('consumer_lag', 'Records that a group has yet to read.', labels, () => read('lag'));
  metrics.observedAll(
    'consumer_expired_unread',
    'Records that a log removed before the group read them, until it reads on.',
    labels,
    () => read('expired'),
  );
}

function sumOverPartitions(items: readonly GroupLag[], measure: Measure): readonly Labelled[] {
  const sums = new Map<string, Labelled>();
  for (const item of items) {
    const { group, topic } = item;
    const key = `${group} ${topic}`;
    sums.set(key, [{ group, topic }, (sums.get(key)?.[1] ?? 0) + item[measure]]);
  }
  return [...sums.values()];
}
