import { readAddress } from '@truetally/kernel';
import { type IHeaders, type KafkaMessage } from 'kafkajs';
import { DEAD_LETTER_HEADER, DEAD_LETTERS, withoutNulls } from './dead-letters.js';
import { createDriver } from './driver.js';
import { type Messaging } from './messaging.js';
import { readRecord, type RecordPlace } from './reading-record.js';
import { describeTopics, missingTopics } from './topics.js';
import { HEADER, text } from './wire.js';

/** Where a dead letter's bytes are, and their origin. */
export interface BuriedMessage {
  /** Where it is to be written, without prefix: the address that `readDeadLetter` gives, or its successor. */
  readonly to: string;
  /** Where the letter is on the dead-letter topic. */
  readonly letter: { readonly partition: number; readonly offset: number };
}

/**
 * - `gone`: its bytes, or its topic, no longer exist. `state`: it is a state by key, and a newer one may
 *   exist.
 */
export type ReplayOutcome = 'sent' | 'gone' | 'state';

/**
 * Writes the message back to its topic, byte for byte, under its own correlation id, so that it is executed a
 * single time however often it is replayed. It has no reply any more. Resolves when Kafka has it.
 */
export async function replayDeadLetter(
  messaging: Messaging,
  { to, letter }: BuriedMessage,
): Promise<ReplayOutcome> {
  const buried = await readRecord(messaging, { topic: DEAD_LETTERS.name, ...letter });
  if (buried === undefined) return 'gone';
  const { topic, operation } = readAddress(to);
  const name = messaging.prefixed(topic);
  const described = await messaging.administer(async (admin) => {
    const isGone = (await missingTopics(admin, [name])).length > 0;
    return isGone ? undefined : (await describeTopics(admin, [name])).get(name);
  });
  if (described === undefined) return 'gone';
  if (described.config['cleanup.policy']?.includes('compact') === true) return 'state';
  const value = await valueOf(messaging, buried);
  if (value === undefined) return 'gone';
  const producer = createDriver(messaging.driver).producer({ allowAutoTopicCreation: false });
  await producer.connect();
  try {
    const message = { key: buried.key, value, headers: headersOf(buried, operation) };
    await producer.send({ topic: name, acks: -1, messages: [message] });
  } finally {
    await producer.disconnect();
  }
  return 'sent';
}

/** A message that was too large for the dead letters is read from its own topic, as long as that keeps it. */
async function valueOf(
  messaging: Messaging,
  { headers = {}, value }: KafkaMessage,
): Promise<Buffer | null | undefined> {
  if (headers[DEAD_LETTER_HEADER.valueLeftOut] === undefined) return value;
  const place = sourceOf(headers);
  const source = place === undefined ? undefined : await readRecord(messaging, place);
  return source?.value ?? undefined;
}

function sourceOf(headers: IHeaders): RecordPlace | undefined {
  const topic = text(headers[DEAD_LETTER_HEADER.topic]);
  const [partition, offset] = [DEAD_LETTER_HEADER.partition, DEAD_LETTER_HEADER.offset].map((name) =>
    Number(text(headers[name]) ?? Number.NaN),
  );
  if (topic === undefined || partition === undefined || offset === undefined) return undefined;
  return Number.isSafeInteger(partition) && Number.isSafeInteger(offset)
    ? { topic, partition, offset }
    : undefined;
}

/** The original headers, except its deadline and reply topic: its asker has timed out. */
function headersOf({ headers = {} }: KafkaMessage, operation: string | undefined): IHeaders {
  const left: readonly string[] = [
    ...Object.values(DEAD_LETTER_HEADER),
    HEADER.replyTopic,
    HEADER.deadline,
    HEADER.timeout,
  ];
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !left.includes(name)));
  return withoutNulls(operation === undefined ? kept : { ...kept, [HEADER.operation]: operation });
}
