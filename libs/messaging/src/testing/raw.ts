import { type KafkaMessage, type Message } from 'kafkajs';
import { eventually, uniqueName } from '@truetally/testing';
import { createDriver } from '../driver.js';
import { type Messaging } from '../messaging.js';
import { text } from '../wire.js';

export interface RawMessage {
  readonly partition: number;
  readonly offset: string;
  readonly key: string | undefined;
  readonly value: string | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** All current records of a topic, read with the bare driver. */
export async function readAll(messaging: Messaging, topic: string): Promise<readonly RawMessage[]> {
  const name = messaging.prefixed(topic);
  const ends = await messaging.administer((admin) => admin.fetchTopicOffsets(name));
  const expected = ends.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  const messages: RawMessage[] = [];
  if (expected === 0) return messages;
  const consumer = createDriver(messaging.driver).consumer({
    groupId: uniqueName('read'),
    maxWaitTimeInMs: 50,
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic: name, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: ({ partition, message }) => {
        messages.push(toRaw(partition, message));
        return Promise.resolve();
      },
    });
    await eventually(() => messages.length >= expected);
  } finally {
    await consumer.disconnect();
  }
  return messages;
}

/** The records of a topic that `read_committed` readers see, up to a marker of our own. */
export async function readCommitted(messaging: Messaging, topic: string): Promise<readonly RawMessage[]> {
  const name = messaging.prefixed(topic);
  const mark = uniqueName('mark');
  const ends = await messaging.administer((admin) => admin.fetchTopicOffsets(name));
  await produceRaw(
    messaging,
    topic,
    ends.map(({ partition }) => ({ key: mark, value: null, partition })),
  );
  const messages: RawMessage[] = [];
  const consumer = createDriver(messaging.driver).consumer({
    groupId: uniqueName('read'),
    maxWaitTimeInMs: 50,
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic: name, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachMessage: ({ partition, message }) => {
        messages.push(toRaw(partition, message));
        return Promise.resolve();
      },
    });
    await eventually(() => messages.filter(({ key }) => key === mark).length === ends.length);
  } finally {
    await consumer.disconnect();
  }
  return messages.filter(({ key }) => key !== mark);
}

function toRaw(partition: number, { key, value, offset, headers = {} }: KafkaMessage): RawMessage {
  return {
    partition,
    offset,
    key: key?.toString(),
    value: value?.toString(),
    headers: Object.fromEntries(Object.entries(headers).map(([header, raw]) => [header, text(raw)])),
  };
}

/** Writes messages unchanged, including invalid ones. */
export async function produceRaw(messaging: Messaging, topic: string, messages: Message[]): Promise<void> {
  const producer = createDriver(messaging.driver).producer({ allowAutoTopicCreation: false });
  await producer.connect();
  try {
    await producer.send({ topic: messaging.prefixed(topic), messages });
  } finally {
    await producer.disconnect();
  }
}

/** Sum of a group's committed offsets over the partitions of a topic. */
export async function committedOffsets(messaging: Messaging, group: string, topic: string): Promise<number> {
  const [offsets] = await messaging.administer((admin) =>
    admin.fetchOffsets({ groupId: messaging.prefixed(group), topics: [messaging.prefixed(topic)] }),
  );
  return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
}
