import type { StoreEvent, StoreEventsRequest } from '@truetally/contracts/events';

/** One HTTP request's events, and where the log holds them: what a redelivery has again, and nothing else ever has. */
export interface PlacedRequest extends StoreEventsRequest {
  readonly place: RequestPlace;
}

export interface RequestPlace {
  readonly partition: number;
  readonly offset: string;
}

/** What the table says about an event that it holds. */
export interface StoredKey {
  readonly eventId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  readonly place: RequestPlace;
  readonly requestId: string;
  readonly contentHash: string;
}

/** An event that may be new, with the request that brings it first. */
export interface Candidate {
  readonly request: PlacedRequest;
  readonly event: StoreEvent;
}
