import { CLICKHOUSE_GROUP } from '@truetally/contracts/analytics';
import { TOPICS } from '@truetally/contracts/topics';

/** A block of facts is visible so much later at most. */
const FLUSH_MS = 1_000;
const FACTS_PER_BLOCK = 65_536;

/** Rows that a merge has not yet made one count once; a fact that is told twice has the same month and the same key. */
export const AS_MERGED =
  'settings do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1';

/** They have no rows; a queue has no view left when it goes. */
export const QUEUES_AND_VIEWS = ['event_fold', 'touch_fold', 'event_queue', 'touch_queue'] as const;

export interface ClickHouseSchema {
  readonly brokers: readonly string[];
  /** Begins topics and groups. */
  readonly prefix: string;
  readonly retentionDays: number;
}

/** The engine of a table in which facts arrive; a test has one that it fills itself. */
export type QueueEngine = (topic: string) => string;

/** Kafka's engine: ClickHouse reads the topic by itself. */
export function kafkaQueue({ brokers, prefix }: Pick<ClickHouseSchema, 'brokers' | 'prefix'>): QueueEngine {
  return (topic) => `(fact String) engine = Kafka settings
    kafka_broker_list = '${brokers.join(',')}', kafka_topic_list = '${prefix}${topic}',
    kafka_group_name = '${prefix}${CLICKHOUSE_GROUP}', kafka_format = 'RawBLOB',
    kafka_flush_interval_ms = ${FLUSH_MS}, kafka_max_block_size = ${FACTS_PER_BLOCK}`;
}

/**
 * The statements that make the tables, each harmless where it has run before. Queues and views have no rows, and are
 * made anew: what was read is in Kafka's group, and what is read twice is one row.
 */
export function schemaStatements(
  { retentionDays }: Pick<ClickHouseSchema, 'retentionDays'>,
  queue: QueueEngine,
): readonly string[] {
  return [
    EVENTS,
    `alter table events modify ttl toDateTime(received_at) + interval ${retentionDays} day`,
    TOUCHES,
    ERASED_SITES,
    REPLACED_KEYS,
    ...QUEUES_AND_VIEWS.map((name) => `drop table if exists ${name}`),
    `create table event_queue ${queue(TOPICS.eventsStored.name)}`,
    `create table touch_queue ${queue(TOPICS.touchesRecorded.name)}`,
    EVENT_FOLD,
    TOUCH_FOLD,
  ];
}

/**
 * An event that is told twice has the same key, and is one row where the table is read with `final`. Of several places
 * in the log the first counts, as elsewhere: the greatest precedence. Months of arrival are partitions, whose number no
 * client can raise; where in time an event was is found by the index of minima and maxima.
 */
const EVENTS = `
  create table if not exists events (
    site_id UUID,
    received_at DateTime64(3, 'UTC'),
    event_id UUID,
    occurred_micros Int64,
    session_key UUID,
    request_key UUID,
    precedence UInt64,
    is_bot Bool,
    event_type LowCardinality(String),
    device LowCardinality(Nullable(String)),
    index events_occurred occurred_micros type minmax granularity 1,
    index events_session session_key type bloom_filter granularity 4,
    index events_request request_key type bloom_filter granularity 4,
    index events_id event_id type bloom_filter granularity 4
  ) engine = ReplacingMergeTree(precedence)
  partition by toYYYYMM(received_at)
  order by (site_id, received_at, event_id)
  settings ttl_only_drop_parts = 1`;

const TOUCHES = `
  create table if not exists touches (
    site_id UUID,
    touch_key UUID,
    session_key UUID,
    occurred_micros Int64,
    provider LowCardinality(String)
  ) engine = ReplacingMergeTree
  order by (site_id, touch_key)`;

/** Facts of these are not stored any more. */
const ERASED_SITES = `
  create table if not exists erased_sites (site_id UUID) engine = ReplacingMergeTree order by site_id`;

/** Keys that sessions had until a person was erased. A row is kept for longer than Kafka, or whoever publishes again, keeps a fact. */
const REPLACED_KEYS = `
  create table if not exists replaced_keys (
    site_id UUID,
    session_key UUID,
    erased_at DateTime64(3, 'UTC')
  ) engine = ReplacingMergeTree(erased_at)
  order by (site_id, session_key)
  ttl toDateTime(erased_at) + interval 40 day`;

/**
 * What was told before its session's key was replaced is stored already, under the other one: told again, it is left out. A key
 * that nobody replaced has the time 0, or null where the server's settings say so.
 */
function notReplaced(fold: string): string {
  return `
  select * except (told_at, erased_at) from (${fold}) as facts
    left any join (select site_id, session_key, max(erased_at) as erased_at from replaced_keys
      group by site_id, session_key) as replaced using (site_id, session_key)
  where ifNull(told_at >= erased_at, true)`;
}

const NO_UUID = "'00000000-0000-0000-0000-000000000000'";

/** The key of `domain/keys.ts`, of the same bytes. */
function keyOf(kind: 'request' | 'session' | 'touch', id: string): string {
  const site = `'36:', toString(told.site_id)`;
  const digest = `lower(hex(SHA256(concat('${kind.length}:${kind}', ${site}, toString(length(${id})), ':', ${id}))))`;
  const variant = `substring('89ab89ab89ab89ab', 1 + reinterpretAsUInt8(unhex(concat('0', substring(${digest}, 17, 1)))), 1)`;
  return `toUUID(concat(substring(${digest}, 1, 8), '-', substring(${digest}, 9, 4), '-8', substring(${digest}, 14, 3),
      '-', ${variant}, substring(${digest}, 18, 3), '-', substring(${digest}, 21, 12)))`;
}

/**
 * Microseconds since 1970 of an ISO time of the years 1 to 9999: ClickHouse's own times begin in 1900, and the calendar
 * repeats every 400 years.
 */
function microsOf(time: string): string {
  const year = `toUInt16OrZero(substring(${time}, 1, 4))`;
  const cycles = `if(${year} < 1900, intDiv(2299 - ${year}, 400), 0)`;
  const shifted = `concat(toString(${year} + 400 * ${cycles}), substring(${time}, 5))`;
  return `toUnixTimestamp64Micro(parseDateTime64BestEffortOrZero(${shifted}, 6, 'UTC')) - ${cycles} * ${CYCLE_MICROS}`;
}

const CYCLE_MICROS = '12622780800000000';

const EVENT_FOLD = `
  create materialized view event_fold to events as ${notReplaced(`
  with JSONExtract(fact, 'Tuple(event_id UUID, site_id UUID, event_type String, session_id String,
    request_id String, occurred_at String, received_at String, is_bot Bool,
    context Tuple(device_type Nullable(String)))') as told
  select told.site_id as site_id, parseDateTime64BestEffortOrZero(told.received_at, 3, 'UTC') as received_at,
    told.event_id as event_id, ${microsOf('told.occurred_at')} as occurred_micros,
    ${keyOf('session', 'told.session_id')} as session_key, ${keyOf('request', 'told.request_id')} as request_key,
    bitNot(toUInt64(_offset)) as precedence, told.is_bot as is_bot, told.event_type as event_type,
    substringUTF8(told.context.device_type, 1, 64) as device, received_at as told_at
  from event_queue
  where told.event_id <> toUUID(${NO_UUID}) and told.site_id not in (select site_id from erased_sites)`)}`;

const TOUCH_FOLD = `
  create materialized view touch_fold to touches as ${notReplaced(`
  with JSONExtract(fact, 'Tuple(site_id UUID, touch_id String, session_id Nullable(String), provider String,
    occurred_at String, recorded_at String)') as told, assumeNotNull(told.session_id) as session
  select told.site_id as site_id, ${keyOf('touch', 'told.touch_id')} as touch_key,
    ${keyOf('session', 'session')} as session_key, ${microsOf('told.occurred_at')} as occurred_micros,
    told.provider as provider, parseDateTime64BestEffortOrZero(told.recorded_at, 3, 'UTC') as told_at
  from touch_queue
  where isNotNull(told.session_id) and told.site_id <> toUUID(${NO_UUID})
    and told.site_id not in (select site_id from erased_sites)`)}`;
