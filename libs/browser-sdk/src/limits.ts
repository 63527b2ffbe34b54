// Every bound of the SDK. In a file without imports, so that a bundler writes the numbers where they are used.

export const MS_PER_SECOND = 1000;
export const MS_PER_HOUR = 3_600_000;

/** Events that wait for their answer; beyond it the oldest gives way to the newest. */
export const OUTBOX_LIMIT = 1000;
/** 64 KiB (interface page, section 4). */
export const EVENT_BYTES = 65_536;
/** Events close to each other share a request. */
export const CAPTURE_DELAY_MS = 300;
export const FLUSH_TIMEOUT_MS = 10_000;

export const BATCH_ITEMS = 100;
/** 256 KiB, far below the 1 MiB of a request (interface page, section 1). */
export const BATCH_BYTES = 262_144;
/** 58 KiB: browsers give all beacons of a page about 64 KiB together, and the service takes no more of one. */
export const BEACON_BYTES = 59_392;
export const REQUEST_TIMEOUT_MS = 15_000;
/** Of the diagnostics. */
export const MAX_RECORDS = 20;

export const BACKOFF_BASE_MS = 1000;
export const BACKOFF_MAX_MS = 60_000;
/** Then it waits for the next event, the network, or the next visit. */
export const MAX_ATTEMPTS = 8;
/** Limits are per clock hour: a longer silence would come from a wrong clock. */
export const MAX_SILENCE_MS = 3_600_000;
export const MIN_SILENCE_MS = 1000;
export const JITTER_AFTER_SILENCE_MS = 2000;
/** A silence with its jitter: one that ends later was stored before the clock was set back. */
export const LONGEST_PAUSE_MS = 3_602_000;
/** How long a token lasts (interface page, section 2), by any clock, and how long it is used. */
export const TOKEN_MS = 900_000;
export const USABLE_TOKEN_MS = 840_000;
/** A smaller difference of clocks may come from the way of an answer. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** A visit ends when nothing happens for this long. */
export const SESSION_MS = 1_800_000;
export const URL_CHARACTERS = 2048;
export const TITLE_CHARACTERS = 512;
export const AGENT_CHARACTERS = 1024;

/** Keys of events are numbers that grow with the time; as texts, too, until the year 2286. */
export const EVENTS_PER_MS = 1000;

/** Clicks, touches and assignments that are known; when an older click comes again, it is a new touch. */
export const KNOWN_IDS = 50;
/** Of a page, for recommendations. */
export const MAX_PLACES = 10;
export const MAX_TOUCH_ATTEMPTS = 5;
/** Key of when a touch was last recorded. */
export const TOUCHED = 'touched';

/** Experiments keep nobody waiting for longer. */
export const ASSIGNMENT_TIMEOUT_MS = 3000;
/** A touch counts within this time of its answer (interface page, section 7). */
export const TOUCH_COUNTS_MS = 2000;
/** Of a `chatbot_message`. */
export const MESSAGE_CHARACTERS = '2000';
/** How often the lazy file is asked for again, each time after this pause. */
export const MAX_RELOADS = 2;
export const RELOAD_MS = 2000;
