import { DAY_MS, LOG_SEGMENT_DAYS, REQUEST_RETENTION_DAYS } from '@truetally/kernel';

/** A Kafka topic as `ensureTopics` creates it; the deployment's prefix is put before the name. */
export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  readonly config?: Readonly<Record<string, string>>;
}

/**
 * A body of 1 MiB, with what the gateway adds to it, is one message, and a dead letter wraps that message once more:
 * Kafka's own limit of 1 MiB per record batch would refuse both.
 */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Requests are work in progress, kept long enough to look into an incident, and no longer than their outcomes are
 * remembered (docs/decisions/redelivery.md). They bear the time at which they were asked.
 */
export const REQUESTS = {
  ...keptFor(REQUEST_RETENTION_DAYS),
  'segment.ms': String(LOG_SEGMENT_DAYS * DAY_MS),
};

/** Requests that change nothing, so that none is too old: they bear the broker's time, by which a late one is skipped. */
export const QUERIES = { ...REQUESTS, 'message.timestamp.type': 'LogAppendTime' };

/** The newest value per key for ever: small segments, cleaned early, so that a gateway starts within a second. */
export const COMPACTED = {
  'cleanup.policy': 'compact',
  'min.cleanable.dirty.ratio': '0.05',
  'segment.ms': '600000',
  'segment.bytes': String(16 * 1024 * 1024),
  'delete.retention.ms': String(DAY_MS),
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/** Facts that are read at any later time, and never end. */
export const KEPT_FOR_EVER = {
  'retention.ms': '-1',
  'max.message.bytes': String(MAX_BATCH_BYTES),
};

/** Facts that a reader must have taken within so many days. */
export function keptFor(days: number) {
  return {
    'retention.ms': String(days * DAY_MS),
    'max.message.bytes': String(MAX_BATCH_BYTES),
  };
}
