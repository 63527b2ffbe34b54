import type { Messaging } from '@truetally/messaging';
import type { Metrics } from '@truetally/platform';

/** How long a reading is reused by later scrapes: it costs Kafka a request per group. */
const KEPT_MS = 10_000;

type Labelled = readonly [{ readonly group: string; readonly topic: string }, number];

/**
 * Reports how many records of a topic each consumer group has yet to read, over all partitions. Read from
 * Kafka at each scrape; left out while Kafka is unavailable.
 */
export function observeLag(metrics: Metrics, messaging: Pick<Messaging, 'lag'>, nowMs: () => number): void {
  let kept: { readonly values: readonly Labelled[]; readonly atMs: number } | undefined;
  const read = async (): Promise<readonly Labelled[]> => {
    if (kept !== undefined && nowMs() - kept.atMs < KEPT_MS) return kept.values;
    try {
      kept = { values: sumOverPartitions(await messaging.lag()), atMs: nowMs() };
      return kept.values;
    } catch {
      // Readiness reports that Kafka is unavailable; the other metrics must stay readable.
      return [];
    }
  };
  metrics.observedAll('consumer_lag', 'Records that a group has yet to read.', ['group', 'topic'], read);
}

function sumOverPartitions(
  items: readonly { readonly group: string; readonly topic: string; readonly lag: number }[],
): readonly Labelled[] {
  const sums = new Map<string, Labelled>();
  for (const { group, topic, lag } of items) {
    const key = `${group} ${topic}`;
    sums.set(key, [{ group, topic }, (sums.get(key)?.[1] ?? 0) + lag]);
  }
  return [...sums.values()];
}
