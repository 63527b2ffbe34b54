import { randomBytes } from 'node:crypto';
import { type KafkaMessage } from 'kafkajs';
import { pause } from './delay.js';
import { createDriver } from './driver.js';
import { READ_RECORD_TIMEOUT_MS } from './limits.js';
import { type Messaging } from './messaging.js';
import { missingTopics } from './topics.js';

export interface RecordPlace {
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * One record of a topic by its position; undefined where it no longer exists. The driver reads in groups
 * only, so this uses one that Kafka removes by itself.
 * @throws when Kafka is unavailable, or does not deliver it in time
 */
export async function readRecord(
  messaging: Messaging,
  place: RecordPlace,
): Promise<KafkaMessage | undefined> {
  const topic = messaging.prefixed(place.topic);
  if (!(await isThere(messaging, topic, place))) return undefined;
  const groupId = messaging.prefixed(`record.${randomBytes(GROUP_BYTES).toString('hex')}`);
  const consumer = createDriver(messaging.driver).consumer({ groupId, allowAutoTopicCreation: false });
  const { promise, resolve, reject } = Promise.withResolvers<KafkaMessage | undefined>();
  const timeout = new AbortController();
  try {
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      reject(payload.error);
    });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: ({ batch }) => {
        const isFurther = Number(batch.lastOffset()) >= place.offset;
        const isFound = batch.partition === place.partition && isFurther;
        if (isFound) resolve(batch.messages.find(({ offset }) => Number(offset) === place.offset));
        return Promise.resolve();
      },
    });
    consumer.seek({ topic, partition: place.partition, offset: String(place.offset) });
    return await Promise.race([
      promise,
      pause(READ_RECORD_TIMEOUT_MS, timeout.signal).then(() => {
        throw new Error(`Record ${place.offset} of ${place.topic} did not come in time`);
      }),
    ]);
  } finally {
    promise.catch(() => undefined);
    timeout.abort();
    await consumer.disconnect();
  }
}

const GROUP_BYTES = 6;

async function isThere(
  messaging: Messaging,
  topic: string,
  { partition, offset }: RecordPlace,
): Promise<boolean> {
  return messaging.administer(async (admin) => {
    if ((await missingTopics(admin, [topic])).length > 0) return false;
    const ends = (await admin.fetchTopicOffsets(topic)).find((each) => each.partition === partition);
    return ends !== undefined && offset >= Number(ends.low) && offset < Number(ends.high);
  });
}
