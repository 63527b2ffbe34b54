import { type Admin } from 'kafkajs';
import { type MessagingLog } from './log.js';
import { type TopicDescription, type TopicSpec } from './topics.js';

/** Partitions by topic, without prefix: an operator's choice instead of the catalogue's. */
export type PartitionCounts = ReadonlyMap<string, number>;

/**
 * The topics with the partitions that an operator has configured.
 * @throws Error for a compacted topic: its newest record of a key would be on another partition than the one before
 */
export function withConfiguredPartitions(
  topics: readonly TopicSpec[],
  configured: PartitionCounts,
): readonly TopicSpec[] {
  return topics.map((spec) => {
    const partitions = configured.get(spec.name);
    if (partitions === undefined) return spec;
    if (spec.config?.['cleanup.policy'] === 'compact') {
      throw new Error(
        `The partitions of ${spec.name} cannot be configured: it keeps the newest record of each key.`,
      );
    }
    return { ...spec, partitions };
  });
}

/**
 * Raises topics that have fewer partitions than configured. Where this process may not, it logs what an operator has to do.
 * @param topics with prefix, those that are configured
 */
export async function raisePartitions(
  admin: Admin,
  topics: readonly TopicSpec[],
  found: ReadonlyMap<string, TopicDescription>,
  log: MessagingLog,
): Promise<void> {
  for (const { name, partitions } of topics) {
    const current = found.get(name)?.partitions ?? partitions;
    if (current === partitions) continue;
    if (current > partitions) {
      log.warn(
        { topic: name, current, configured: partitions },
        'a topic keeps its partitions: fewer are impossible',
      );
      continue;
    }
    try {
      await admin.createPartitions({ topicPartitions: [{ topic: name, count: partitions }] });
      log.info({ topic: name, current, configured: partitions }, 'partitions added');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { topic: name, current, configured: partitions, reason },
        'partitions have to be added by an operator',
      );
    }
  }
}
