import type { TrustClass } from '@truetally/contracts/credentials';
import {
  clientEventKey,
  eventIdOfKey,
  type EventType,
  identifyingValues,
  orderOf,
} from '@truetally/contracts/events';
import type { Instant } from '@truetally/kernel';

/** The identity of an event within a site, in its stored form. */
export interface EventIdentity {
  readonly siteId: string;
  readonly trust: TrustClass;
  readonly eventType: EventType;
  readonly sessionId: string;
  readonly clientEventId: string | null;
  /** Undefined when the client sent none: receipt times differ between retries. */
  readonly occurredAt: Instant | undefined;
  readonly pageUrl: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The event's id, derived from its deduplication key (interface page, section 4), so that a replay has the
 * same id everywhere and at any time. The key is trust class and `client_event_id`, if present; otherwise,
 * with an occurrence time, the event's content; otherwise a purchase's order; otherwise the event has no
 * identity and each is new (docs/decisions/deduplication-key.md).
 */
export function eventIdOf(identity: EventIdentity, randomId: () => string): string {
  const key = deduplicationKey(identity);
  return key === undefined ? randomId() : eventIdOfKey(key);
}

function deduplicationKey(identity: EventIdentity): readonly (string | null)[] | undefined {
  const { siteId, eventType, sessionId, clientEventId, occurredAt, properties } = identity;
  if (clientEventId !== null) return clientEventKey(siteId, identity.trust, clientEventId);
  if (occurredAt !== undefined) {
    return [
      siteId,
      'derived',
      eventType,
      sessionId,
      String(occurredAt.epochMs),
      occurredAt.subMillisecond,
      identity.pageUrl,
      ...identifyingValues(eventType, properties),
    ];
  }
  const order = eventType === 'purchase' ? orderOf(properties) : undefined;
  return order === undefined ? undefined : [siteId, 'order', eventType, sessionId, ...order];
}
