/**
 * How long Kafka may redeliver a request, and therefore how long its outcome is kept. This file is the only
 * source of these times (docs/decisions/redelivery.md). Every record that identifies a redelivered command
 * outlives its last possible delivery.
 */

/** `retention.ms` of request topics: long enough to investigate an incident. */
export const REQUEST_RETENTION_DAYS = 7;
/** `retention.ms` of the dead letters, which wait for an operator. */
export const DEAD_LETTER_RETENTION_DAYS = 30;
/**
 * `segment.ms` of both. A broker removes whole segments, so that a record outlives its retention by the time
 * span of its segment; the default is a week.
 */
export const LOG_SEGMENT_DAYS = 1;
/** For clock skew, and for a broker that checks for old segments every few minutes. */
const MARGIN_DAYS = 1;

/** Older commands are not executed. By then no broker holds them, unless an operator wrote them again. */
export const COMMAND_AGE_LIMIT_DAYS = REQUEST_RETENTION_DAYS + LOG_SEGMENT_DAYS;
/** A dead letter has certainly left its topic this long after it was written. */
export const DEAD_LETTER_GONE_DAYS = DEAD_LETTER_RETENTION_DAYS + LOG_SEGMENT_DAYS + MARGIN_DAYS;
/**
 * How long outcomes are kept: inbox rows, and every other record that identifies a request. A dead letter can
 * follow an effect (a release that knew the command was killed before its offset was committed, and the one
 * before it took over), so that they outlive every replay.
 */
export const REMEMBERED_DAYS = Math.max(COMMAND_AGE_LIMIT_DAYS + MARGIN_DAYS, DEAD_LETTER_GONE_DAYS);
/** An older message is not replayed: the ids of events are kept for 30 days at least, from when it was written. */
export const REPLAY_AGE_LIMIT_DAYS = DEAD_LETTER_RETENTION_DAYS - MARGIN_DAYS;

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;
