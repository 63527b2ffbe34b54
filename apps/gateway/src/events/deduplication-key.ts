import type { TrustClass } from '@truetally/contracts/credentials';
import { type EventType, identifyingValues, orderOf } from '@truetally/contracts/events';
import { fingerprintHex, type Instant, uuidFromFingerprintHex } from '@truetally/kernel';

/** What tells one event of a site from another: all of it as it will be stored. */
export interface EventIdentity {
  readonly siteId: string;
  readonly trust: TrustClass;
  readonly eventType: EventType;
  readonly sessionId: string;
  readonly clientEventId: string | null;
  /** Undefined when the client gave none: receipt times differ between retries. */
  readonly occurredAt: Instant | undefined;
  readonly pageUrl: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The event's id, derived from its deduplication key (interface page, section 4), so that a replay names the same id
 * wherever and whenever it is answered: trust class and `client_event_id` when given; otherwise, with an occurrence time, what the
 * event says of itself; otherwise a purchase's order; otherwise nothing tells two events apart and each is new.
 * @param keyedByTrustSinceMs events that occurred before it keep the ids that they had when the trust class did not count
 *   (docs/decisions/deduplication-key.md)
 */
export function eventIdOf(
  identity: EventIdentity,
  randomId: () => string,
  keyedByTrustSinceMs = -Infinity,
): string {
  const key = deduplicationKey(identity, keyedByTrustSinceMs);
  return key === undefined ? randomId() : uuidFromFingerprintHex(fingerprintHex(['event', ...key]));
}

function deduplicationKey(
  identity: EventIdentity,
  keyedByTrustSinceMs: number,
): readonly (string | null)[] | undefined {
  const { siteId, eventType, sessionId, clientEventId, occurredAt, properties } = identity;
  if (clientEventId !== null) {
    const isOfBefore = occurredAt !== undefined && occurredAt.epochMs < keyedByTrustSinceMs;
    return isOfBefore ? [siteId, 'client', clientEventId] : [siteId, 'client', identity.trust, clientEventId];
  }
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
