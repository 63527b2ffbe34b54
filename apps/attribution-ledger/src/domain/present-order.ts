import type { Attribution, ListedOrder, MatchedTouch, PartnerShare } from '@truetally/contracts/attribution';
import { formatMinor, minorDigitsOf, parseDecimal, toMinor } from '@truetally/kernel';
import { toMilliseconds } from './instants.js';

/** An order as it is listed, before its touches are known; amounts are minor units, times Postgres' text. */
export type OrderToPresent = Omit<ListedOrder, 'partners'> & {
  /** Of the newest record. */
  readonly attribution: readonly Attribution[];
};

/** The touches whose partners must be known to list these orders. */
export function sharingTouchesOf(orders: readonly OrderToPresent[]): readonly string[] {
  return [
    ...new Set(orders.flatMap(({ attribution }) => sharing(attribution).map(({ touch_id }) => touch_id))),
  ];
}

/** An item of the list (interface page, section 6). */
export function presentOrder(
  order: OrderToPresent,
  touches: ReadonlyMap<string, Pick<MatchedTouch, 'partner_id' | 'provider'>>,
): ListedOrder {
  const { currency } = order;
  const money = (minor: string): string => formatMinor(BigInt(minor), currency);
  return {
    order_id: order.order_id,
    conversion_id: order.conversion_id,
    currency,
    state: order.state,
    occurred_at: toMilliseconds(order.occurred_at),
    recorded_at: toMilliseconds(order.recorded_at),
    changed_at: toMilliseconds(order.changed_at),
    revenue: money(order.revenue),
    remaining_revenue: money(order.remaining_revenue),
    remaining_commissionable: money(order.remaining_commissionable),
    commission: money(order.commission),
    entry_count: order.entry_count,
    partners: partnersOf(order, touches),
  };
}

function sharing(attribution: readonly Attribution[]): readonly Attribution[] {
  return attribution.filter(({ outcome }) => outcome === 'attributed');
}

/** In the order in which the purchase names their first touches. */
function partnersOf(
  { attribution, currency }: OrderToPresent,
  touches: ReadonlyMap<string, Pick<MatchedTouch, 'partner_id' | 'provider'>>,
): readonly PartnerShare[] {
  const sums = new Map<string, Omit<PartnerShare, 'share'> & { readonly minor: bigint }>();
  for (const { touch_id, share } of sharing(attribution)) {
    const touch = touches.get(touch_id);
    // The touches of an erased site are gone, and its orders cannot be read any more.
    if (touch === undefined) continue;
    const { provider, partner_id } = touch;
    const name = JSON.stringify([provider, partner_id]);
    const minor = (sums.get(name)?.minor ?? 0n) + minorOf(share, currency);
    sums.set(name, { provider, partner_id, minor });
  }
  return [...sums.values()].map(({ provider, partner_id, minor }) => ({
    provider,
    partner_id,
    share: formatMinor(minor, currency),
  }));
}

/** A share was formatted with its currency's decimals when it was recorded. */
function minorOf(share: string, currency: string): bigint {
  const decimal = parseDecimal(share);
  const minor = decimal === undefined ? undefined : toMinor(decimal, minorDigitsOf(currency) ?? 0);
  if (minor === undefined) throw new Error(`A recorded share is no amount of ${currency}.`);
  return minor;
}
