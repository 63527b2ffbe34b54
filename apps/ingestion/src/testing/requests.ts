import { randomUUID } from 'node:crypto';
import { type AcceptedEvent, NO_REFUSALS, type Refusals } from '@truetally/contracts/events';
import type { PlacedRequest } from '../domain/placed-request.js';

const PARTITIONS = 6;
let offset = 0;

/** A valid event; every field can be given. */
export function anEvent(given: Partial<AcceptedEvent> = {}): AcceptedEvent {
  return {
    event_id: randomUUID(),
    event_type: 'product_view',
    session_id: 'session-1',
    user_id: null,
    device_id: 'device-1',
    client_event_id: null,
    occurred_at: '2026-01-31T09:30:00.123456Z',
    is_bot: false,
    index: null,
    content_hash: '-42',
    properties: '{"product_id":"sku-1"}',
    context: '{"page_url":"https://shop.example/","user_agent":"Mozilla/5.0"}',
    ...given,
  };
}

export const SITE_ID = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';

/** So many items, refused for one reason. */
export function refusing(count: number): Refusals {
  return count === 0
    ? NO_REFUSALS
    : { failed: [{ code: 'VALIDATION_ERROR', field: 'session_id', count }], requests: [], items: [] };
}

/** A request with its own position in the log. */
export function aRequest(
  events: readonly AcceptedEvent[],
  given: Partial<PlacedRequest> = {},
): PlacedRequest {
  offset += 1;
  return {
    siteId: SITE_ID,
    requestId: randomUUID(),
    correlationId: randomUUID(),
    trust: 'server',
    refusals: NO_REFUSALS,
    place: { partition: offset % PARTITIONS, offset: String(offset) },
    ...given,
    events,
  };
}
