import type { EventProperties, EventType, RequiredProperties } from './event-types.js';

export type Consent = 'granted' | 'required';
export type ConsentChoice = 'granted' | 'denied';

export interface Options {
  /** The public id of the site. */
  readonly siteId: string;
  /** The service's address; ends with `/api/v1`. */
  readonly endpoint: string;
  /** `required`: nothing is stored or sent before `setConsent('granted')`. Default: `granted`. */
  readonly consent?: Consent;
  /** Opts in to the decoration of marked partner links. */
  readonly decorateLinks?: boolean;
  /** Opts in to the site's overlays, chatbots and recommendations. */
  readonly campaigns?: boolean;
  /** Texts of overlays and chatbots that a campaign does not contain. Default: English. */
  readonly labels?: Labels;
  readonly onError?: ErrorListener;
}

export interface Labels {
  /** Of the button that closes an overlay. */
  readonly close?: string;
  /** Of the button that opens the chatbot. */
  readonly chat?: string;
  /** Of the field for a message. */
  readonly message?: string;
  readonly send?: string;
  /** What the chatbot says where no answer fits. */
  readonly unknown?: string;
}

/** Why an event, or a request, will not pass. Never holds a token or the event's content. */
export interface SdkError {
  /** A code of the service, or one of the SDK: `INVALID_OPTIONS`, `INVALID_EVENT`, `OUTBOX_FULL`, `CHUNK_NOT_LOADED`, `NOT_ASSIGNED`. */
  readonly code: string;
  readonly message: string;
  readonly client_event_id?: string | undefined;
  readonly details?: unknown;
  readonly request_id?: string | undefined;
}

export type ErrorListener = (error: SdkError) => void;

/** What became of an event. */
export interface EventProof {
  readonly client_event_id: string;
  /** `pending`: it waits, and is sent again. `failed`: it will never pass. */
  readonly status: 'stored' | 'duplicate' | 'failed' | 'pending';
  /** The server's id and time of the first storage. */
  readonly event_id?: string | undefined;
  readonly timestamp?: string | undefined;
  readonly request_id?: string | undefined;
  readonly error?: SdkError | undefined;
}

/** One request, as a support engineer needs it: no token, no content. */
export interface RequestRecord {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** ISO 8601 UTC, by the browser's clock. */
  readonly at: string;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly request_id?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

export interface Diagnostics {
  readonly version: string;
  readonly site_id: string | undefined;
  readonly endpoint: string | undefined;
  readonly consent: 'granted' | 'required' | 'denied';
  /** `memory` when the browser refuses storage, or it is full. */
  readonly storage: 'local' | 'memory';
  /** Events that no answer has settled. */
  readonly waiting: number;
  /** Events that the cap of the outbox has cost. */
  readonly dropped: number;
  /** Milliseconds since 1970 until which the service has asked for silence; 0 when it has not. */
  readonly paused_until: number;
  /** The newest requests, oldest first. */
  readonly requests: readonly RequestRecord[];
}

/** What the shop's backend sends with an order (interface page, section 6), so that it counts for who brought it. */
export interface Attribution {
  /** Of this visit; for the backend's own events. */
  readonly session_id: string;
  /** `touch_ids` of a conversion: the newest 50 of this browser, oldest first. */
  readonly touch_ids: readonly string[];
  /** `experiment_assignment_ids` of a conversion: likewise. */
  readonly experiment_assignment_ids: readonly string[];
}

export interface Truetally {
  init(options: Options): void;
  /** @returns the `client_event_id`; undefined when consent is denied or the event cannot be one */
  track<Type extends EventType>(
    type: Type,
    ...properties: object extends RequiredProperties[Type]
      ? [properties?: EventProperties<Type>]
      : [properties: EventProperties<Type>]
  ): string | undefined;
  /** A `page_view` of the page as it is now. */
  page(properties?: EventProperties<'page_view'>): string | undefined;
  /** Names the user of the events that follow, for as long as the session lasts; null names nobody. */
  identify(userId: string | null): void;
  /** `denied` clears what waits, and what was stored. */
  setConsent(choice: ConsentChoice): void;
  /**
   * Sends what waits, and says of each event that this page has captured or sent, and no earlier call has reported,
   * what became of it: of the newest 1,000. What an outbox that was full has cost comes to the error listeners, too.
   * Resolves when all are settled, when the service cannot take them now, or after the timeout (10 s).
   */
  flush(timeoutMs?: number): Promise<readonly EventProof[]>;
  /** Undefined while nothing may be stored. */
  attribution(): Attribution | undefined;
  /** @returns a function that ends it */
  onError(listener: ErrorListener): () => void;
  diagnostics(): Diagnostics;
}
