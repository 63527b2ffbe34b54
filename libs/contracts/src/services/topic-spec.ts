import { DAY_MS, LOG_SEGMENT_DAYS, REQUEST_RETENTION_DAYS } from '@truetally/kernel';

/** A Kafka topic as `ensureTopics` creates it; the deployment's prefix is put before the name. */
export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  readonly config?: Readonly<Record<string, string>>;
}

/**
 * A body of 1 MiB with the gateway's additions is one message, and a dead letter wraps that message: Kafka's
 * own limit of 1 MiB per record batch would refuse both.
 */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Requests are transient: kept long enough to investigate an incident, and no longer than their outcomes are
 * kept (docs/decisions/redelivery.md). Their timestamp is that of the asker.
 */
export const REQUESTS = {
  ...keptFor(REQUEST_RETENTION_DAYS),
  'segment.ms': String(LOG_SEGMENT_DAYS * DAY_MS),
};

/**
 * Requests without effects, so that none is too old. They have the broker's timestamp, by which late ones are
 * skipped.
 */
export const QUERIES = { ...REQUESTS, 'message.timestamp.type': 'LogAppendTime' };

/**
 * The newest value per key for ever: small segments, cleaned early, so that a gateway starts within a second.
 */
export const COMPACTED = {
  'cleanup.policy': 'compact',
  'min.cleanable.dirty.ratio': '0.05',
  'segment.ms': '600000',
  'segment.bytes': String(16 * 1024 * 1024),
  'delete.retention.ms': String(DAY_MS),
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/** Facts that are read at any later time and never expire. They must not name a person, a session or an order. */
export const KEPT_FOR_EVER = {
  'retention.ms': '-1',
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/**
 * Days for facts about orders and sessions: as long as the longest attribution window, so that a new reader sees every
 * touch that can still count, with what it led to. Older ones are in the tables of their owner
 * (docs/decisions/jobs.md).
 */
export const ATTRIBUTION_DAYS = 90;

/** Facts that every reader must have consumed within so many days. */
export function keptFor(days: number) {
  return {
    'retention.ms': String(days * DAY_MS),
    'max.message.bytes': String(MAX_BATCH_BYTES),
  };
}
