import { type RecordedConversionFact, type RecordedTouchFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { type Messaging, type ReceivedFact, subscribe, type Subscription } from '@truetally/messaging';
import type { OutboxRelay } from '@truetally/persistence';
import { whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { conversionIdOf, touchRowIdOf } from '../domain/names.js';
import { FIRST_PLACE, ordersAwaiting, ordersToMatch, type WaitingOrder } from '../storage/awaited-touches.js';
import type { LedgerStore } from '../storage/ledger.store.js';

export interface MatchTouchesOptions {
  readonly messaging: Messaging;
  readonly pool: Pool;
  readonly ledger: LedgerStore;
  readonly relay: Pick<OutboxRelay, 'wake'>;
}

/** Orders of one transaction: each is locked. */
const MAX_ORDERS_AT_ONCE = 128;

/**
 * Matches touches and orders of separate transactions. It follows the service's own facts of both. A fact
 * comes after its commit, so that the later one always finds the other side.
 */
export function followTouches(options: MatchTouchesOptions): Promise<Subscription> {
  return subscribe(options.messaging, {
    topics: [TOPICS.touchesRecorded.name, TOPICS.conversionsRecorded.name],
    group: 'attribution-ledger.match-touches',
    handler: (facts) => whileAvailable(() => matchTouches(options, facts)),
  });
}

/** A repeated fact finds nothing left to match. */
export async function matchTouches(
  options: Omit<MatchTouchesOptions, 'messaging'>,
  facts: readonly Pick<ReceivedFact, 'topic' | 'value'>[],
): Promise<void> {
  const { pool } = options;
  const touches: string[] = [];
  const orders: string[] = [];
  for (const { topic, value } of facts) {
    if (value === null) continue;
    // Facts of this service itself, so their format is known.
    if (topic === TOPICS.touchesRecorded.name) {
      const fact = JSON.parse(value) as RecordedTouchFact;
      touches.push(touchRowIdOf(fact.site_id, fact.touch_id));
    } else {
      const fact = JSON.parse(value) as RecordedConversionFact;
      const isWaiting = fact.unmatched_touch_ids.length > 0 && fact.event_type === 'purchase';
      if (isWaiting) orders.push(conversionIdOf(fact.site_id, fact.order_id));
    }
  }
  await matchAll(options, (after) => ordersAwaiting(pool, touches, after, MAX_ORDERS_AT_ONCE));
  await matchAll(options, (after) => ordersToMatch(pool, orders, after, MAX_ORDERS_AT_ONCE));
}

async function matchAll(
  { ledger, relay }: Pick<MatchTouchesOptions, 'ledger' | 'relay'>,
  next: (after: string) => Promise<readonly WaitingOrder[]>,
): Promise<void> {
  let after: string | undefined = FIRST_PLACE;
  while (after !== undefined) {
    const some = await next(after);
    if (some.length > 0) {
      await ledger.record(some.map(({ siteId, orderId }) => ({ kind: 'match', siteId, orderId })));
      relay.wake();
    }
    after = some.length < MAX_ORDERS_AT_ONCE ? undefined : some.at(-1)?.conversionId;
  }
}
