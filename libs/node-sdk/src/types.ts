import type {
  AdjustmentBody,
  AdjustmentEnvelope,
  CancellationBody,
  CancellationEnvelope,
  PurchaseBody,
  PurchaseEnvelope,
  RecordConversionResponses,
  TrackEvent,
} from './generated/types.gen.js';

/** An event as `POST /events/track` takes it; `client_event_id` and `occurred_at` are added when absent. */
export type Event = TrackEvent;

/** One of the three envelopes, or what stands inside one. */
export type Conversion =
  | PurchaseEnvelope
  | AdjustmentEnvelope
  | CancellationEnvelope
  | PurchaseBody
  | AdjustmentBody
  | CancellationBody;

/** `data` of the answer to a conversion. */
export type ConversionRecord = RecordConversionResponses[keyof RecordConversionResponses]['data'];

export interface TruetallyOptions {
  /** The secret key, `ck_…`; only its prefix appears in errors and diagnostics. */
  readonly apiKey: string;
  /** Ends with `/api/v1`. */
  readonly baseUrl: string;
  /** Attempts for an event or a conversion, the first included (100: about ten minutes). */
  readonly maxAttempts?: number;
  /** How long one request may take (30,000). */
  readonly timeoutMs?: number;
  /** Events in one request (100, which is also the service's limit). */
  readonly batchEvents?: number;
  /** Bytes of the events in one request (524,288; the service takes 1 MiB). */
  readonly batchBytes?: number;
  /** Requests of events under way at once (4). */
  readonly maxRequests?: number;
  /** Events that may wait; a further one fails with `QUEUE_FULL` (100,000). */
  readonly maxQueuedEvents?: number;
  /** Bytes of the events that may wait (67,108,864). */
  readonly maxQueuedBytes?: number;
  /** A folder in which events are kept from `track` until the service has answered; one process at a time. */
  readonly outbox?: string;
  /** Sends what waits when the process gets SIGTERM or SIGINT, and then ends it as the signal would (true). */
  readonly closeOnSignals?: boolean;
}

/** What one call can be given besides. */
export interface RequestOptions {
  /**
   * Ends the call, its request and the waits between its attempts: the promise is rejected with the signal's reason. A
   * conversion may have been recorded all the same; repeating it is safe.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Why something will not pass. Never holds a credential or content. */
export interface Fault {
  /**
   * A code of the service, or one of the client: those of `TruetallyError`, and for events `QUEUE_FULL`,
   * `OUTBOX_FAILED`, `INVALID_EVENT`, `EVENT_TOO_LARGE`.
   */
  readonly code: string;
  readonly message: string;
  /** Field path to messages. */
  readonly details: Readonly<Record<string, readonly string[]>>;
}

/** The service's id and time of the first storage, or why it will not be sent again by this process. */
export type EventOutcome =
  | {
      readonly status: 'stored' | 'duplicate';
      readonly event_id: string;
      readonly timestamp: string;
      readonly error?: never;
    }
  | {
      readonly status: 'failed';
      readonly error: Fault;
      readonly event_id?: never;
      readonly timestamp?: never;
    };

/** What became of one event. */
export type EventResult = EventOutcome & {
  readonly client_event_id: string;
  readonly request_id?: string;
};

/** What became of the events since the last `flush`. */
export interface FlushReport {
  readonly stored: number;
  readonly duplicates: number;
  readonly failed: number;
  /** Events that still wait when the time is over. */
  readonly pending: number;
}

/** One request, as a support engineer needs it (specification, section 7.5). */
export interface RequestRecord {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly request_id: string | undefined;
  readonly latency_ms: number;
  readonly error: Fault | undefined;
}

export interface Diagnostics {
  readonly version: string;
  readonly base_url: string;
  /** `ck_` and eight characters. */
  readonly api_key_prefix: string;
  readonly queued_events: number;
  readonly queued_bytes: number;
  readonly requests_under_way: number;
  readonly stored: number;
  readonly duplicates: number;
  readonly failed: number;
  /** ISO 8601 UTC until which nothing is sent, because of a limit or failures. */
  readonly paused_until: string | undefined;
  /** The newest 50, oldest first. */
  readonly requests: readonly RequestRecord[];
}
