import type { AcceptedEvent, TrackEventRequest } from '@truetally/contracts/events';

/** One HTTP request's events, with its identity and its position in the log. */
export interface PlacedRequest extends TrackEventRequest {
  /** The same for every delivery and every copy of the request in the log, and unique. */
  readonly correlationId: string;
  readonly place: RequestPlace;
}

export interface RequestPlace {
  readonly partition: number;
  readonly offset: string;
}

/** The stored row of an event. */
export interface StoredKey {
  readonly eventId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  readonly place: RequestPlace;
  readonly requestId: string;
  /** Null for older rows, which are identified by their position and request id. */
  readonly correlationId: string | null;
  readonly contentHash: string;
}

/** A possibly new event, with the first request that contains it. */
export interface Candidate {
  readonly request: PlacedRequest;
  readonly event: AcceptedEvent;
}
