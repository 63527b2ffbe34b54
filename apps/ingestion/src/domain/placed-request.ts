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
  /** Of the request that stored it. */
  readonly correlationId: string;
  readonly contentHash: string;
}

/** A possibly new event, with the first request that contains it. */
export interface Candidate {
  readonly request: PlacedRequest;
  readonly event: AcceptedEvent;
}
