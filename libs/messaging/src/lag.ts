import { type Admin } from 'kafkajs';

export interface GroupLag {
  /** Group and topic without prefix. */
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Messages written and not yet committed as done. */
  readonly lag: number;
}

export async function lagOfGroups(
  admin: Admin,
  groups: readonly string[],
  prefix: string,
): Promise<readonly GroupLag[]> {
  const lags: GroupLag[] = [];
  for (const group of groups) {
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId: prefix + group })) {
      const ends = new Map(
        (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]),
      );
      for (const { partition, offset } of partitions) {
        const committed = Math.max(0, Number(offset));
        lags.push({
          group,
          topic: topic.startsWith(prefix) ? topic.slice(prefix.length) : topic,
          partition,
          lag: Math.max(0, (ends.get(partition) ?? 0) - committed),
        });
      }
    }
  }
  return lags;
}
