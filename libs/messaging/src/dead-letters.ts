import { DAY_MS, DEAD_LETTER_RETENTION_DAYS, LOG_SEGMENT_DAYS } from '@truetally/kernel';
import { type IHeaders, type KafkaMessage } from 'kafkajs';
import { describeError } from './errors.js';
import { DEAD_LETTER_MAX_BYTES, DEAD_LETTER_PARTITIONS } from './limits.js';
import { type TopicSpec } from './topics.js';
import { unpacked } from './wire.js';

/** The dead-letter topic. Defined here, because this library writes it. */
export const DEAD_LETTERS = {
  name: 'dead-letters.v1',
  partitions: DEAD_LETTER_PARTITIONS,
  config: {
    'retention.ms': String(DEAD_LETTER_RETENTION_DAYS * DAY_MS),
    'segment.ms': String(LOG_SEGMENT_DAYS * DAY_MS),
    'max.message.bytes': String(DEAD_LETTER_MAX_BYTES),
  },
} as const satisfies TopicSpec;

/** Added to the message's own headers; key and value are unchanged, byte for byte. */
export const DEAD_LETTER_HEADER = {
  reason: 'dead-letter-reason',
  attempts: 'dead-letter-attempts',
  /** Without prefix. */
  topic: 'dead-letter-topic',
  partition: 'dead-letter-partition',
  offset: 'dead-letter-offset',
  /** When the message was first written, in epoch milliseconds. */
  timestamp: 'dead-letter-timestamp',
  /** The consumer group that dead-lettered it, without prefix. */
  group: 'dead-letter-group',
  /** Set where the value was too large to be included. */
  valueLeftOut: 'dead-letter-value-left-out',
} as const;

export interface GivenUp {
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
  readonly group: string;
  readonly attempts: number;
  readonly reason: unknown;
  readonly isValueLeftOut?: boolean;
}

export function deadLetterHeaders(given: GivenUp): IHeaders {
  const { topic, partition, message, group, attempts, reason, isValueLeftOut = false } = given;
  return {
    ...withoutNulls(unpacked(message.headers)),
    [DEAD_LETTER_HEADER.reason]: describeError(reason),
    [DEAD_LETTER_HEADER.attempts]: String(attempts),
    [DEAD_LETTER_HEADER.topic]: topic,
    [DEAD_LETTER_HEADER.partition]: String(partition),
    [DEAD_LETTER_HEADER.offset]: message.offset,
    [DEAD_LETTER_HEADER.timestamp]: message.timestamp,
    [DEAD_LETTER_HEADER.group]: group,
    ...(isValueLeftOut ? { [DEAD_LETTER_HEADER.valueLeftOut]: 'true' } : {}),
  };
}

/** Kafka allows a header without a value; the driver can read but not write one. */
export function withoutNulls(headers: IHeaders = {}): IHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => isWritable(value)));
}

function isWritable(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isWritable) : value !== null && value !== undefined;
}
