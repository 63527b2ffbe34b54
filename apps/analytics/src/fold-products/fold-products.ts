import type { StoredEventFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { DAY_MS, parseInstant } from '@truetally/kernel';
import {
  type Messaging,
  type ReceivedFact,
  subscribe,
  type Subscription,
  UnreadableError,
} from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import { sessionKeyOf } from '../domain/keys.js';
import { toldProducts } from '../domain/told-products.js';
import type { BasketStore, ToldEntry } from '../storage/basket.store.js';

const FACTS_PER_CALL = 2_000;
/** A fetch waits for so many bytes, at most half a second. */
const GATHERED_BYTES = 262_144;

/** A group of its own: what products have in common never delays reports. */
export function foldProducts(
  messaging: Messaging,
  store: Pick<BasketStore, 'fold'>,
  nowMs: () => number = Date.now,
): Promise<Subscription> {
  return subscribe(messaging, {
    topics: [TOPICS.eventsStored.name],
    group: 'analytics.fold-products',
    factsPerCall: FACTS_PER_CALL,
    gatheredBytes: GATHERED_BYTES,
    handler: (facts) =>
      whileAvailable(() => store.fold(facts.flatMap(entriesIn), Math.floor(nowMs() / DAY_MS))),
  });
}

type StoredEvent = StoredEventFact & { readonly properties: unknown };

/**
 * What an event of a person tells of products.
 * @throws UnreadableError when its time cannot be read; the bus dead-letters it
 */
export function entriesIn({ value }: Pick<ReceivedFact, 'value'>): readonly ToldEntry[] {
  if (value === null) return [];
  const event = JSON.parse(value) as StoredEvent;
  if (event.is_bot) return [];
  const entries = toldProducts(event.event_type, event.properties);
  if (entries.length === 0) return [];
  const instant = parseInstant(event.occurred_at);
  if (instant === undefined) throw new UnreadableError('events.stored.v1: occurred_at is not a time');
  const { site_id: siteId, session_id: sessionId } = event;
  const basket = {
    siteId,
    sessionKey: sessionKeyOf(siteId, sessionId),
    day: Math.floor(instant.epochMs / DAY_MS),
  };
  return entries.map((entry) => ({ ...basket, ...entry }));
}
