import { type Admin } from 'kafkajs';
import { type MessagingLog } from './log.js';

export interface TopicSpec {
  /** Without prefix. */
  readonly name: string;
  readonly partitions: number;
  /** Topic configuration, `cleanup.policy` for example; everything else is the broker's default. */
  readonly config?: Readonly<Record<string, string>>;
}

/**
 * Creates what is missing. An existing topic is left as it is: fewer partitions are impossible, and more would
 * move keys to other partitions, which is a decision for a person.
 */
export async function createMissingTopics(
  admin: Admin,
  topics: readonly TopicSpec[],
  log: MessagingLog,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = topics.filter(({ name }) => !existing.has(name));
  if (missing.length === 0) return;
  // Another process may have been faster with some of them; the driver takes that for success.
  await admin.createTopics({
    waitForLeaders: true,
    topics: missing.map(({ name, partitions, config = {} }) => ({
      topic: name,
      numPartitions: partitions,
      configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
    })),
  });
  log.info({ topics: missing.map(({ name }) => name) }, 'topics created');
}
