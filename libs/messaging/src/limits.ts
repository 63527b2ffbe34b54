/** Every bound of this library, with its unit and its reason. Options may tighten what a caller may know better. */

// Producing -----------------------------------------------------------------------------------------------------

/** Messages in one produce request: beyond it, a larger request gains nothing and holds the event loop too long. */
export const CHUNK_MESSAGES = 1_000;
/** A broker takes 1 MiB per partition and request by default (`message.max.bytes`); the rest is framing. */
export const CHUNK_BYTES = 900_000;
/** What Kafka adds to key and value at most: record framing and our headers. */
export const MESSAGE_OVERHEAD_BYTES = 300;
/** One send under way, one being filled: a third only makes the batches smaller. */
export const SENDS_IN_FLIGHT = 2;
/** Replies come one by one, as handlers finish: a second send under way would halve the batches. */
export const REPLY_SENDS_IN_FLIGHT = 1;
/** Facts about one key keep their order even when a send is repeated, so the next one waits. */
export const FACT_SENDS_IN_FLIGHT = 1;
/**
 * A driver that repeats a send asks no broker twice: a partition whose leader has moved meanwhile to a broker that has
 * answered is left out, and the send succeeds without its messages. So each repetition is a send of its own.
 */
export const SENT_ONCE = { retries: 0 } as const;
/** After so many failures in a row a producer is thrown away: its cached metadata may be the reason. */
export const SEND_FAILURES_BEFORE_RECONNECT = 8;
/** A send that takes longer means that Kafka is away: further asks are refused instead of queued. */
export const STALLED_SEND_MS = 3_000;
/** How often a topic must be found missing before its messages are given up: metadata lags behind a broker's start. */
export const MISSING_TOPIC_CHECKS = 4;

/**
 * One call of a fenced publisher: its caller holds a lock meanwhile, that is wanted by those who can reach Kafka. Shorter
 * than the time after which the lock is taken from whoever says nothing.
 */
export const FENCED_PUBLISH_MS = 4_000;
/** Kafka ends a transaction whose producer is gone after this, where nobody takes its place and ends it at once. */
export const TRANSACTION_TIMEOUT_MS = 10_000;
/** Between two transactions Kafka needs some milliseconds; it says "not yet", and means soon. */
export const FENCED_RETRY = { initialRetryTime: 5, multiplier: 3, maxRetryTime: 400, retries: 5 } as const;
/** The same for sends, which the driver does not repeat: so often, and so many milliseconds apart at first and at most. */
export const FENCED_SEND = { tries: 8, initialMs: 5, maxMs: 400 } as const;
/** A topic that was found missing is not looked for again by each of the messages to it. */
export const MISSING_TOPIC_MS = 2_000;

// Retries -------------------------------------------------------------------------------------------------------

export const RETRY_INITIAL_MS = 100;
/** Short, because the next attempt is what ends an outage for those who wait. */
export const RETRY_MAX_MS = 1_000;
/** An outage is said at its beginning and every so many tries, not at each of them. */
export const FAILURES_PER_WARNING = 30;
/** Inside the driver; around it everything is retried by this library, which sees and counts the failures. */
export const DRIVER_RETRIES = 2;
/** A group with several members joining needs some rounds; leaving it for a new start would only add one. */
export const DRIVER_JOIN_RETRIES = 10;
export const CONNECTION_TIMEOUT_MS = 3_000;
export const REQUEST_TIMEOUT_MS = 10_000;

// Consuming -----------------------------------------------------------------------------------------------------

/** A killed consumer holds its partitions so long. Shorter, and a long garbage collection looks like a death. */
export const SESSION_TIMEOUT_MS = 7_000;
/** Three chances within a session. */
export const HEARTBEAT_INTERVAL_MS = 2_000;
/** While fetching waits for the handler, so often the heartbeat is looked at. */
export const HEARTBEAT_CHECK_MS = 500;
/** A member that does not come back to a rebalance in this time is left out. */
export const REBALANCE_TIMEOUT_MS = 15_000;
/** The longest an idle fetch waits at the broker; it answers at once when there is a message. */
export const FETCH_WAIT_MS = 500;
export const FETCH_MIN_BYTES = 1;
export const FETCH_PARTITION_BYTES = 1_048_576;
export const FETCH_BYTES = 8_388_608;
/** A table is read whole by a process that starts: what it fetches at once is garbage at once. */
export const TABLE_PARTITION_BYTES = 131_072;
/** Offsets are committed behind the work: more often costs requests, more rarely costs repeated work after a crash. */
export const COMMIT_INTERVAL_MS = 500;
/** A consumer that neither fetched nor beat for so long hangs in the driver, and is replaced. */
export const CONSUMER_SILENCE_MS = 60_000;
/** A consumer whose last fetch is older than this is not following its topic. */
export const FETCH_STALE_MS = 4_000;
/** Memory that fetched, unfinished messages may hold, whatever their weight says. */
export const UNSTORED_BYTES = 67_108_864;
/** Messages on their way to the dead letters because nobody can read them, beyond which fetching waits. */
export const UNREADABLE_IN_HAND = 100;
/** Work under way is finished at close, for at most so long; what is left is delivered again. */
export const DRAIN_TIMEOUT_MS = 8_000;

// Handling ------------------------------------------------------------------------------------------------------

/** How often a message that fails alone is tried before it counts as poison. */
export const POISON_TRIES = 3;
export const POISON_RETRY_MS = 100;
/** So often a batch is tried as it is while its surroundings are at fault; then its halves are, each by itself. */
export const TRANSIENT_TRIES_TOGETHER = 5;
/** Ordinary handlers at work at the same time, each on another key. */
export const HANDLERS_IN_FLIGHT = 16;
/** Ordinary requests fetched and unfinished. */
export const UNSTORED_REQUESTS = 1_024;
/** Facts given to a subscriber in one call. */
export const FACTS_PER_CALL = 500;
export const UNSTORED_FACTS = 4_096;
/** A reason tells what happened; a whole stack or a body has no place in a header. */
export const REASON_CHARACTERS = 500;

// Clocks --------------------------------------------------------------------------------------------------------

/** The soonest record of so long, and of as long before, tells the brokers' time. */
export const CLOCK_SAMPLES_MS = 600_000;
/** Half of the time for which most askers wait: beyond it a comparison of clocks would begin to drop their requests. */
export const CLOCK_SKEW_WARNING_MS = 5_000;
/** How often that, or that queries were skipped, is said. */
export const CLOCK_SKEW_LOG_MS = 60_000;

// Asking --------------------------------------------------------------------------------------------------------

export const PENDING_COUNT = 20_000;
export const PENDING_BYTES = 134_217_728;
export const ASK_DEADLINE_MS = 10_000;
/** How late a missing reply is noticed. */
export const DEADLINE_SWEEP_MS = 100;
/** A reply nobody read within this time has no asker any more (deadlines are shorter). */
export const REPLY_RETENTION_MS = 300_000;
/** A page of 200 resources of 8 KiB is more than a broker takes by default. */
export const REPLY_BYTES = 8_388_608;
export const REPLY_SEGMENT_MS = 60_000;
export const REPLY_TOPIC_PARTITIONS = 1;
/** Every reply topic, and every group that reads one, begins with this. */
export const REPLIES_PREFIX = 'replies.';
/** A reply topic without a reader for this long belongs to a dead process; a restart of Kafka is shorter. */
export const ABANDONED_REPLIES_MS = 300_000;
export const JANITOR_INTERVAL_MS = 60_000;

// Topics and tables ---------------------------------------------------------------------------------------------

/** Copies of each partition, on as many brokers: one may be lost while another is being restarted. */
export const REPLICAS = 3;
/** Copies that hold a message before it counts as written. */
export const MIN_COPIES = 2;
export const DEAD_LETTER_PARTITIONS = 1;
/** A message as large as any topic takes, with its reason in headers: Kafka's own limit of 1 MiB would refuse it. */
export const DEAD_LETTER_MAX_BYTES = 8_388_608;
/** A single record is read by a group of its own, which a broker begins after three seconds by default. */
export const READ_RECORD_TIMEOUT_MS = 15_000;
/** Without a new message for so long, and with brokers that answer, a table's missing last offsets do not exist. */
export const TABLE_QUIET_MS = 1_000;
/** Answers of empty fetches that this quiet must contain. */
export const TABLE_QUIET_FETCHES = 5;
