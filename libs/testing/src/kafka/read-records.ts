import { setTimeout as delay } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { uniqueName } from '../test-stack.js';

/** A record of any topic: its key, value and headers as one text, without being decoded further. */
export interface FoundRecord {
  readonly topic: string;
  readonly key: string | null;
  /** Null for a tombstone. */
  readonly value: string | null;
  readonly headers: string;
}

const POLL_MS = 50;
const QUIET_MS = 1_000;
const MAX_WAIT_MS = 240_000;

/**
 * Every record that was committed before the call, of every topic whose name begins with the prefix, or of the named
 * ones of them, in the order of each partition.
 */
export async function readRecords(
  brokers: string,
  topicPrefix: string,
  names?: readonly string[],
): Promise<readonly FoundRecord[]> {
  const client = new kafkajs.Kafka({
    clientId: 'read-records',
    brokers: brokers.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const admin = client.admin();
  await admin.connect();
  const isWanted = (topic: string): boolean =>
    topic.startsWith(topicPrefix) && (names?.includes(topic.slice(topicPrefix.length)) ?? true);
  const topics = (await admin.listTopics()).filter(isWanted);
  const ends = new Map<string, number>();
  for (const topic of topics) {
    for (const { partition, high, low } of await admin.fetchTopicOffsets(topic)) {
      if (Number(high) > Number(low)) ends.set(`${topic}/${partition}`, Number(high));
    }
  }
  await admin.disconnect();
  return readTo(client, topics, ends);
}

/**
 * A partition's last offset may be a marker of a transaction, which no reader sees: it has been read when its last
 * fetch was empty or behind that offset, so that quiet for a while is taken for the end.
 */
async function readTo(
  client: kafkajs.Kafka,
  topics: readonly string[],
  ends: ReadonlyMap<string, number>,
): Promise<readonly FoundRecord[]> {
  const consumer = client.consumer({ groupId: uniqueName('read'), maxWaitTimeInMs: POLL_MS });
  const found: FoundRecord[] = [];
  const unread = new Set(ends.keys());
  let heardAt = performance.now();
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: ({ topic, partition, message }) => {
        const { key, value, offset, headers = {} } = message;
        const end = ends.get(`${topic}/${partition}`) ?? 0;
        if (Number(offset) >= end) return Promise.resolve();
        found.push({
          topic,
          key: key?.toString() ?? null,
          value: value?.toString() ?? null,
          headers: JSON.stringify(headers, (_, each: unknown) => textOf(each)),
        });
        heardAt = performance.now();
        // Behind the last record there may be one marker.
        if (Number(offset) >= end - 2) unread.delete(`${topic}/${partition}`);
        return Promise.resolve();
      },
    });
    const deadline = performance.now() + MAX_WAIT_MS;
    while (unread.size > 0 || performance.now() - heardAt < QUIET_MS) {
      if (performance.now() > deadline) throw new Error(`Not read to the end: ${[...unread].join(', ')}`);
      await delay(POLL_MS);
    }
  } finally {
    await consumer.disconnect();
  }
  return found;
}

/** A buffer, also in the form that `toJSON` gave it. */
function textOf(value: unknown): unknown {
  const isBuffer = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
  if (!isBuffer || !('data' in value) || !Array.isArray(value.data)) return value;
  return Buffer.from(value.data as number[]).toString();
}
