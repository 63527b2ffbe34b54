import type { StoreEvent, StoreEventsRequest } from '@truetally/contracts/events';

/** One HTTP request's events, with what names this very request, and where the log holds them. */
export interface PlacedRequest extends StoreEventsRequest {
  /** Every delivery of the request has it, also a second copy in the log, and nothing else ever has. */
  readonly correlationId: string;
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
  /** Null for rows from before it was kept: those are known by their place and request id. */
  readonly correlationId: string | null;
  readonly contentHash: string;
}

/** An event that may be new, with the request that brings it first. */
export interface Candidate {
  readonly request: PlacedRequest;
  readonly event: StoreEvent;
}
