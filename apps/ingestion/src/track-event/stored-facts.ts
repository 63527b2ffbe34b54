import type { EventType } from '@truetally/contracts/events';
import { encodeStoredEvent, type StoredEventFact, storedEventKey } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import type { Fact } from '@truetally/messaging';
import type { SettledRequest } from '../domain/settle-requests.js';

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

/** @param properties JSON, as is `context`; every digit is kept */
export function factOf(topic: string, event: StoredEventFact, properties: string, context: string): Fact {
  return {
    topic,
    key: storedEventKey(event),
    value: encodeStoredEvent(event, properties, context),
    headers: { 'content-type': 'application/json', 'fact-id': event.event_id },
  };
}
