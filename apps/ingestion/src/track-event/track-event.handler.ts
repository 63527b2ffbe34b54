import { decodeTrackEvent, encodeTrackEventReply, type EventType } from '@truetally/contracts/events';
import { encodeStoredEvent, type StoredEventFact, storedEventKey } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { failure } from '@truetally/kernel';
import {
  type BatchOutcome,
  type Fact,
  type IncomingRequest,
  TransientError,
  UnreadableError,
} from '@truetally/messaging';
import { isTransient } from '@truetally/persistence';
import type { PlacedRequest } from '../domain/placed-request.js';
import type { SettledRequest } from '../domain/settle-requests.js';
import { type EventStore, NoOpenPartitionError } from '../storage/event.store.js';

/** Stores the events of one transaction, answers each request, and publishes the new events. */
export class TrackEventHandler {
  constructor(private readonly store: EventStore) {}

  async handle(requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    const placed = requests.map(place);
    const settled = await this.storeOrRetry(placed);
    return settled.map((one) =>
      one.isErased ? SITE_ERASED : { reply: encodeTrackEventReply(one.verdicts), facts: factsOf(one) },
    );
  }

  /** An unavailable database is not the message's fault: it is retried until the database is back. */
  private async storeOrRetry(requests: readonly PlacedRequest[]): Promise<readonly SettledRequest[]> {
    try {
      return await this.store.store(requests);
    } catch (error) {
      if (isTransient(error) || error instanceof NoOpenPartitionError) {
        throw new TransientError('Events cannot be stored at the moment.', { cause: error });
      }
      throw error;
    }
  }
}

/** The same answer as the gateway's a moment later, when it has received the deletion. */
const SITE_ERASED: BatchOutcome = { reply: failure('UNAUTHORIZED', 'The site has been deleted.') };

/** @throws UnreadableError for an invalid message; the bus dead-letters it */
function place(request: IncomingRequest): PlacedRequest {
  const decoded = decodeTrackEvent(request.value);
  if (!decoded.ok) throw new UnreadableError(`Not a request to store events: ${decoded.error}.`);
  const { correlationId, partition, offset } = request;
  return { ...decoded.value, correlationId, place: { partition, offset } };
}

/** The event that has a topic of its own besides. */
export const CLICK: EventType = 'partner_link_click';

/** What is published about the new events of a request. */
export function factsOf({ request, published }: SettledRequest): readonly Fact[] {
  return published.flatMap(({ event, receivedAt }) => {
    const { properties, context } = event;
    const fields = {
      ...event,
      site_id: request.siteId,
      received_at: receivedAt,
      trust: request.trust,
      request_id: request.requestId,
    };
    const stored = factOf(TOPICS.eventsStored.name, fields, properties, context);
    return event.event_type === CLICK ? [stored, { ...stored, topic: TOPICS.clicksStored.name }] : [stored];
  });
}

/**
 * Without headers: they would repeat what the topic and the value tell, and take a quarter of what writing it takes.
 * @param properties JSON, as is `context`; every digit is kept
 */
export function factOf(topic: string, event: StoredEventFact, properties: string, context: string): Fact {
  return { topic, key: storedEventKey(event), value: encodeStoredEvent(event, properties, context) };
}
