import type { Messaging } from '@truetally/messaging';
import type { Metrics } from '@truetally/platform';

/** Scrapes that come closer together get the same figures: asking Kafka costs it a request per group. */
const KEPT_MS = 10_000;

type Labelled = readonly [{ readonly group: string; readonly topic: string }, number];

/**
 * Shows how many records each consumer group has yet to read of a topic, over all partitions. Asked of Kafka when the
 * metrics are read; while Kafka is away the lag is left out.
 */
export function observeLag(metrics: Metrics, messaging: Pick<Messaging, 'lag'>, nowMs: () => number): void {
  let kept: { readonly values: readonly Labelled[]; readonly atMs: number } | undefined;
  const read = async (): Promise<readonly Labelled[]> => {
    if (kept !== undefined && nowMs() - kept.atMs < KEPT_MS) return kept.values;
    try {
      kept = { values: sumOverPartitions(await messaging.lag()), atMs: nowMs() };
      return kept.values;
    } catch {
      // Readiness says that Kafka is away; the other metrics are still to be read.
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
