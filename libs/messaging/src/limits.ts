/** Every bound of this library, with its unit and reason. Callers may tighten some by options. */

// Producing -----------------------------------------------------------------------------------------------------

/** Messages in one produce request: larger requests gain nothing and block the event loop for too long. */
export const CHUNK_MESSAGES = 1_000;
/** A broker accepts 1 MiB per partition and request by default (`message.max.bytes`); the rest is framing. */
export const CHUNK_BYTES = 900_000;
/** Maximum overhead beside key and value: record framing and our headers. */
export const MESSAGE_OVERHEAD_BYTES = 300;
/** One send in flight, one being filled: a third only makes the batches smaller. */
export const SENDS_IN_FLIGHT = 2;
/** Replies arrive one by one, as handlers finish: a second send in flight would halve the batches. */
export const REPLY_SENDS_IN_FLIGHT = 1;
/** Facts of one key keep their order even when a send is repeated, so that the next one waits. */
export const FACT_SENDS_IN_FLIGHT = 1;
/**
 * Under load messages gather for the next send: it starts so many milliseconds after the last one for each KiB of
 * that, at most `GATHER_MS`. Fewer and larger sends make each later step larger, too (fetches, transactions,
 * replies): 64 clients with single events cost two fifths less processor time, 256 a fifth less. After a small
 * send, or a quiet time, nothing waits.
 */
export const GATHER_MS_PER_KIB = { asks: 0.3, replies: 0.1, facts: 0.3 } as const;
/** Messages that nobody waits for always gather as long. */
export const GATHER_MS = 15;
/**
 * The driver must not repeat a send by itself. If a partition's leader has meanwhile moved to a broker that
 * has already answered, the driver leaves that partition out and reports success without its messages. So
 * each repetition is a separate send.
 */
export const SENT_ONCE = { retries: 0 } as const;
/** After this many consecutive failures a producer is replaced: its cached metadata may be the cause. */
export const SEND_FAILURES_BEFORE_RECONNECT = 8;
/** A slower send means that Kafka is unavailable: further asks are refused instead of queued. */
export const STALLED_SEND_MS = 3_000;
/** How often a topic must be missing before its messages fail: metadata lags behind a broker's start. */
export const MISSING_TOPIC_CHECKS = 4;

/**
 * Timeout of one call of a fenced publisher. Its caller holds a lock meanwhile, which replicas with access to
 * Kafka want. Shorter than the timeout after which a silent holder loses the lock.
 */
export const FENCED_PUBLISH_MS = 4_000;
/**
 * Kafka aborts the transaction of a lost producer after this, unless a successor with its name aborts it at
 * once.
 */
export const TRANSACTION_TIMEOUT_MS = 10_000;
/** Kafka needs some milliseconds between two transactions and answers "not yet" meanwhile. */
export const FENCED_RETRY = { initialRetryTime: 5, multiplier: 3, maxRetryTime: 400, retries: 5 } as const;
/**
 * The same for sends, which the driver does not repeat: number of tries, first and longest delay in
 * milliseconds.
 */
export const FENCED_SEND = { tries: 8, initialMs: 5, maxMs: 400 } as const;
/** How long a missing topic is not looked up again by further messages to it. */
export const MISSING_TOPIC_MS = 2_000;

// Retries -------------------------------------------------------------------------------------------------------

export const RETRY_INITIAL_MS = 100;
/** Short, because recovery after an outage waits for the next attempt. */
export const RETRY_MAX_MS = 1_000;
/** An outage is logged at its start and then every so many tries. */
export const FAILURES_PER_WARNING = 30;
/** Inside the driver. This library retries around it, and counts the failures. */
export const DRIVER_RETRIES = 2;
/** Several members that join at a time need some rounds; starting over would only add one. */
export const DRIVER_JOIN_RETRIES = 10;
export const CONNECTION_TIMEOUT_MS = 3_000;
export const REQUEST_TIMEOUT_MS = 10_000;

// Consuming -----------------------------------------------------------------------------------------------------

/**
 * How long a killed consumer holds its partitions. With less, a long garbage collection looks like a crash.
 */
export const SESSION_TIMEOUT_MS = 7_000;
/** Three heartbeats within a session timeout, also while a fetch waits; they tell of a rebalance. */
export const HEARTBEAT_INTERVAL_MS = 2_000;
/**
 * While the fetch of a group's only member waits: no partition is unread until it notices that the group changes, and another one that
 * joins waits a second longer.
 */
export const ONLY_HEARTBEAT_INTERVAL_MS = 3_000;
/** The same for a member whose group is its own, whom no other one replaces. */
export const LONE_SESSION_TIMEOUT_MS = 20_000;
export const LONE_HEARTBEAT_INTERVAL_MS = 6_000;
/** Heartbeat interval while fetching waits for the handler. */
export const HEARTBEAT_CHECK_MS = 500;
/** A member that does not rejoin a rebalance within this time is removed. */
export const REBALANCE_TIMEOUT_MS = 15_000;
/** How long an idle fetch waits at the broker; it returns at once when there is a message. */
export const FETCH_WAIT_MS = 8_000;
/** The same for one whose age tells whether its process follows: a gateway refuses while it does not follow keys. */
export const LONE_FETCH_WAIT_MS = 2_000;
export const FETCH_MIN_BYTES = 1;
export const FETCH_PARTITION_BYTES = 1_048_576;
export const FETCH_BYTES = 8_388_608;
/** A process that starts reads a table whole: each fetch becomes garbage at once. */
export const TABLE_PARTITION_BYTES = 131_072;
/**
 * Offsets are committed behind the work: shorter costs requests, longer costs repeated work after a crash.
 */
export const COMMIT_INTERVAL_MS = 500;
/** A consumer without fetch and heartbeat for this long hangs in the driver, and is replaced. */
export const CONSUMER_SILENCE_MS = 60_000;
/** A consumer that is alone, and whose last fetch is older, does not follow its topics; others, and patient ones, wait `FETCH_WAIT_MS` longer. */
export const FETCH_STALE_MS = 5_000;
/**
 * Maximum bytes of fetched, unfinished messages, independent of their weight. Decoded they take up to four times as much: an emoji
 * makes each character of its text two bytes, and small objects are larger than their text.
 */
export const UNSTORED_BYTES = 16_777_216;
/** Maximum bytes of the messages of one call, whose rows and statement are in memory with them. */
export const CALL_BYTES = 8_388_608;
/** Messages of a consumer that no handler gets, and that are not finished yet; above it fetching waits. */
export const ASIDE_IN_HAND = 100;
/** At close, work in progress is finished for at most this long; the rest is delivered again. */
export const DRAIN_TIMEOUT_MS = 8_000;
/** Behind work that took all of this time, the broker's last answers are waited for so much longer. */
export const LAST_ANSWER_MS = 500;

// Handling ------------------------------------------------------------------------------------------------------

/** How often a message that fails alone is tried before it is dead-lettered. */
export const POISON_TRIES = 3;
export const POISON_RETRY_MS = 100;
/**
 * How often a batch is retried as a whole while its environment is at fault; then its halves are, separately.
 */
export const TRANSIENT_TRIES_TOGETHER = 5;
/** How long messages wait for a running call before another one starts that is not full. */
export const PATIENCE_MS = 100;
/**
 * Concurrent ordinary handlers, each on another key: more than one owner may have under way at several gateways, because in services
 * owners take turns, and whoever is behind an owner in the topic has none before its request is taken from there. One that waits
 * holds nothing but its message. An owner has half of those that the others leave: while something of it is locked, its clients give up
 * and come again, and what they have sent waits here.
 */
export const HANDLERS_IN_FLIGHT = 128;
/**
 * Ordinary requests that are fetched and unfinished: what 16 requests of an owner, given up after 10 s each, are in 40 minutes. An owner
 * has half of what the others leave of it, and of the bytes; beyond it is refused.
 */
export const UNSTORED_REQUESTS = 4_096;
/** Facts per call of a subscriber. */
export const FACTS_PER_CALL = 500;
export const UNSTORED_FACTS = 4_096;
/** A reason is short; a whole stack or a body does not belong into a header. */
export const REASON_CHARACTERS = 500;

/** Interval between two deliveries of a command whose operation this release does not know. */
export const UNKNOWN_RETRY_MS = 1_000;
/** Then it is dead-lettered. Kubernetes reports a rollout that makes no progress for so long as failed. */
export const UNKNOWN_KEPT_MS = 600_000;
/** Commands that one process keeps at a time; further ones are refused, so that those that it knows need not wait. */
export const UNKNOWN_IN_HAND = 50;

// Clocks --------------------------------------------------------------------------------------------------------

/**
 * Window of the clock estimate: the fastest record of this window, and of the one before, gives the brokers'
 * time.
 */
export const CLOCK_SAMPLES_MS = 600_000;
/** Half of most askers' timeout: with more skew, comparing clocks would start to drop their requests. */
export const CLOCK_SKEW_WARNING_MS = 5_000;
/** Interval between log lines about skew or skipped queries. */
export const CLOCK_SKEW_LOG_MS = 60_000;

// Asking --------------------------------------------------------------------------------------------------------

export const PENDING_COUNT = 20_000;
export const PENDING_BYTES = 134_217_728;
export const ASK_DEADLINE_MS = 10_000;
/** How late a missing reply is detected. */
export const DEADLINE_SWEEP_MS = 100;
/** A reply that was not read within this time has no asker any more (deadlines are shorter). */
export const REPLY_RETENTION_MS = 300_000;
/** A page of 200 resources of 8 KiB exceeds a broker's default. */
export const REPLY_BYTES = 8_388_608;
export const REPLY_SEGMENT_MS = 60_000;
export const REPLY_TOPIC_PARTITIONS = 1;
/** Prefix of every reply topic, and of every group that reads one. */
export const REPLIES_PREFIX = 'replies.';
/** A reply topic without a reader for this long belongs to a dead process; a restart of Kafka is shorter. */
export const ABANDONED_REPLIES_MS = 300_000;
export const JANITOR_INTERVAL_MS = 60_000;

// Topics and tables ---------------------------------------------------------------------------------------------

/** Copies of each partition, on as many brokers: one may be lost while another is restarted. */
export const REPLICAS = 3;
/** Copies that hold a message before it counts as written. */
export const MIN_COPIES = 2;
export const DEAD_LETTER_PARTITIONS = 1;
/**
 * The largest message of any topic, with its reason in headers: Kafka's own limit of 1 MiB would refuse it.
 */
export const DEAD_LETTER_MAX_BYTES = 8_388_608;
/** A single record is read by a separate group, which a broker forms after three seconds by default. */
export const READ_RECORD_TIMEOUT_MS = 15_000;
/**
 * With brokers that answer and without a new message for this long, a table's missing last offsets do not
 * exist.
 */
export const TABLE_QUIET_MS = 1_000;
/** Empty fetch answers that this quiet period must contain. */
export const TABLE_QUIET_FETCHES = 2;
