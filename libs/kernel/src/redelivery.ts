/**
 * How long Kafka may hand out a request again, and how long its outcome is therefore remembered: the one place that this
 * arithmetic begins at (docs/decisions/redelivery.md). Whatever tells a redelivered command from a new one lives longer
 * than the command can come.
 */

/** `retention.ms` of request topics: long enough to look into an incident. */
export const REQUEST_RETENTION_DAYS = 7;
/** `retention.ms` of the dead letters: they wait for a person. */
export const DEAD_LETTER_RETENTION_DAYS = 30;
/**
 * `segment.ms` of both: a broker removes whole segments, so that a record outlives its retention by what its segment
 * spans, which is a week where nothing is said.
 */
export const LOG_SEGMENT_DAYS = 1;
/** For clocks that differ, and for a broker that looks for old segments every few minutes. */
const MARGIN_DAYS = 1;

/** No command older than this is carried out: by then no broker has it any more, unless somebody put it back. */
export const COMMAND_AGE_LIMIT_DAYS = REQUEST_RETENTION_DAYS + LOG_SEGMENT_DAYS;
/** What was done is remembered so long: inbox rows, and whatever else knows a request again. */
export const REMEMBERED_DAYS = COMMAND_AGE_LIMIT_DAYS + MARGIN_DAYS;
/** A dead letter, from when it was given up, is surely gone from its topic after this. */
export const DEAD_LETTER_GONE_DAYS = DEAD_LETTER_RETENTION_DAYS + LOG_SEGMENT_DAYS + MARGIN_DAYS;

export const DAY_MS = 86_400_000;
