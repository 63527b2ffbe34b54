import { readAddress } from '@truetally/kernel';
import { type IHeaders, type KafkaMessage } from 'kafkajs';
import { DEAD_LETTER_HEADER, DEAD_LETTERS, withoutNulls } from './dead-letters.js';
import { createDriver } from './driver.js';
import { decodeFact } from './facts/subscribe.js';
import { type Messaging } from './messaging.js';
import { type DeadLetter, readDeadLetter } from './read-dead-letter.js';
import { readRecord, type RecordPlace } from './reading-record.js';
import { describeTopics, missingTopics } from './topics.js';
import { HEADER, text, unpacked } from './wire.js';

/** Where a dead letter's bytes are, and their origin. */
export interface BuriedMessage {
  /** Where it is to be written, without prefix: the address that `readDeadLetter` gives. */
  readonly to: string;
  /** Where the letter is on the dead-letter topic. */
  readonly letter: { readonly partition: number; readonly offset: number };
  /**
   * Whether the record that is there now is the letter: a topic that was lost and made anew, or restored from
   * an older copy, has another one at the same place.
   */
  isIt(found: DeadLetter): boolean;
}

/** A message as it was buried, ready to be written back. */
export interface FoundMessage {
  readonly to: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: IHeaders;
}

/**
 * The message of a dead letter, byte for byte, under its own correlation id. `gone`: its bytes, or its topic,
 * no longer exist. `state`: it is a state by key, and a newer one may exist.
 */
export async function findDeadLetter(
  messaging: Messaging,
  { to, letter, isIt }: BuriedMessage,
): Promise<FoundMessage | 'gone' | 'state'> {
  const buried = await readRecord(messaging, { topic: DEAD_LETTERS.name, ...letter });
  if (buried === undefined) return 'gone';
  if (!isIt(readDeadLetter(decodeFact(DEAD_LETTERS.name, letter.partition, buried)))) return 'gone';
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
  return { to, key: buried.key, value, headers: headersOf(buried, operation) };
}

/**
 * Writes the message back to its topic, so that it is executed a single time however often it is replayed. It
 * has no reply any more. Resolves when Kafka has it.
 */
export async function replayDeadLetter(
  messaging: Messaging,
  { to, key, value, headers }: FoundMessage,
): Promise<void> {
  const topic = messaging.prefixed(readAddress(to).topic);
  const producer = createDriver(messaging.driver).producer({ allowAutoTopicCreation: false });
  try {
    await producer.connect();
    await producer.send({ topic, acks: -1, messages: [{ key, value, headers }] });
  } finally {
    await producer.disconnect();
  }
}

/** A message that was too large for the dead letters is read from its own topic, as long as that keeps it. */
async function valueOf(messaging: Messaging, buried: KafkaMessage): Promise<Buffer | null | undefined> {
  const { headers = {}, value } = buried;
  if (headers[DEAD_LETTER_HEADER.valueLeftOut] === undefined) return value;
  const place = sourceOf(headers);
  const source = place === undefined ? undefined : await readRecord(messaging, place);
  return source !== undefined && isSource(source, buried) ? (source.value ?? undefined) : undefined;
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

/** Its topic, too, may have been made anew: the record there has the time, key and correlation id of the letter. */
function isSource(source: KafkaMessage, { key, headers = {} }: KafkaMessage): boolean {
  const correlationOf = (of?: IHeaders): string | undefined => text(unpacked(of)[HEADER.correlationId]);
  return (
    source.timestamp === text(headers[DEAD_LETTER_HEADER.timestamp]) &&
    source.key?.toString('hex') === key?.toString('hex') &&
    correlationOf(source.headers) === correlationOf(headers)
  );
}

/**
 * The original headers, except its deadline and reply topic, because its asker has timed out, and since when
 * its operation was unknown: the ten minutes of a rollout begin again.
 */
function headersOf({ headers = {} }: KafkaMessage, operation: string | undefined): IHeaders {
  const left: readonly string[] = [
    ...Object.values(DEAD_LETTER_HEADER),
    HEADER.replyTopic,
    HEADER.deadline,
    HEADER.timeout,
    HEADER.unknownSince,
  ];
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !left.includes(name)));
  return withoutNulls(operation === undefined ? kept : { ...kept, [HEADER.operation]: operation });
}
