import type { KnownTouch } from './commission.js';
import { type Entry, type Order, orderKey } from './order.js';

/** What a group of entries changes in the index of orders. */
export interface OrderChange {
  /** After the group. */
  readonly order: Order;
  /** New entries that are no change of the commission alone. */
  readonly addedEntries: number;
  readonly addedTerms: readonly string[];
  readonly removedTerms: readonly string[];
}

/** By site, then by touch id. */
type KnownTouches = ReadonlyMap<string, ReadonlyMap<string, KnownTouch>>;

/** An order that names the touch. */
export function touchTerm(touchId: string): string {
  return `touch ${touchId}`;
}

/** An order in which the provider has a share in force. */
export function providerTerm(provider: string): string {
  return `provider ${provider}`;
}

/** The same of one partner. Providers have no space, so that no two pairs are one term. */
export function partnerTerm(provider: string, partnerId: string): string {
  return `partner ${provider} ${partnerId}`;
}

/**
 * One change per order.
 * @param before the orders before the group, by `orderKey`
 */
export function changesOf(
  entries: readonly Entry[],
  before: ReadonlyMap<string, Order>,
  touches: KnownTouches,
): readonly OrderChange[] {
  const counts = new Map<string, number>();
  const orders = new Map<string, Order>();
  for (const { eventType, order } of entries) {
    const key = orderKey(order.siteId, order.orderId);
    orders.set(key, order);
    counts.set(key, (counts.get(key) ?? 0) + (eventType === 'commission' ? 0 : 1));
  }
  return [...orders].map(([key, order]) => {
    const ofSite = touches.get(order.siteId) ?? new Map<string, KnownTouch>();
    const known = before.get(key);
    const former = known === undefined ? new Set<string>() : termsOf(known, ofSite);
    const terms = termsOf(order, ofSite);
    return {
      order,
      addedEntries: counts.get(key) ?? 0,
      addedTerms: [...terms].filter((term) => !former.has(term)),
      removedTerms: [...former].filter((term) => !terms.has(term)),
    };
  });
}

function termsOf(order: Order, touches: ReadonlyMap<string, KnownTouch>): Set<string> {
  const terms = new Set(order.touchIds.map(touchTerm));
  for (const { touch_id: touchId, outcome } of order.attribution) {
    const touch = outcome === 'attributed' ? touches.get(touchId) : undefined;
    if (touch === undefined) continue;
    terms.add(providerTerm(touch.provider));
    if (touch.partnerId !== null) terms.add(partnerTerm(touch.provider, touch.partnerId));
  }
  return terms;
}
