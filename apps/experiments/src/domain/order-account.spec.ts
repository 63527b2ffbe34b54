import { describe, expect, it } from '@jest/globals';
import type { Attribution } from '@truetally/contracts/attribution';
import { isEmpty, isSameAccount, subtractSums, sumsOfSession } from './account.js';
import { accountOfOrder, type CountingWindow, type OrderRecord, standingOf } from './order-account.js';

const WINDOW: CountingWindow = { from: 1_000n, to: 2_000n, currency: 'EUR' };
/** Of 100.00 with a margin of 40.00 and a commission of 5.00. */
const PURCHASE: OrderRecord = {
  recordId: 'record-1',
  conversionId: 'order',
  orderSequence: 1,
  eventType: 'purchase',
  currency: 'EUR',
  purchasedAt: 1_500n,
  recordedAtMs: 0,
  revenueDelta: 10_000n,
  marginDelta: 4_000n,
  commissionDelta: 500n,
  hasExactMargin: true,
  rule: 'ruled',
};

const next = (given: Partial<OrderRecord>): OrderRecord => ({
  ...PURCHASE,
  orderSequence: 2,
  eventType: 'adjustment',
  marginDelta: null,
  commissionDelta: 0n,
  ...given,
});

const account = (...records: readonly OrderRecord[]) => accountOfOrder(records, WINDOW);
const all = (given: Partial<OrderRecord>) => account({ ...PURCHASE, ...given });

describe('the contribution of an order to its session', () => {
  it('the contribution of an order is its revenue, its margin, and the margin after the commission', () => {
    expect(account(PURCHASE)).toMatchObject({
      revenue: 10_000n,
      gross_profit: 4_000n,
      commission: 500n,
      contribution: 3_500n,
      counted_orders: 1n,
      exact_orders: 1n,
      live_orders: 1n,
      late_orders: 0n,
    });
    expect(all({ hasExactMargin: false })).toMatchObject({
      gross_profit: 0n,
      contribution: -500n,
      exact_orders: 0n,
    });
  });

  it('counts from the window’s beginning to just before its end, and is late after it', () => {
    expect(all({ purchasedAt: 999n }).counted_orders).toBe(0n);
    expect(all({ purchasedAt: 999n }).late_orders).toBe(0n);
    expect(all({ purchasedAt: 1_000n }).counted_orders).toBe(1n);
    expect(all({ purchasedAt: 1_999n }).counted_orders).toBe(1n);
    expect(all({ purchasedAt: 2_000n })).toMatchObject({ counted_orders: 0n, late_orders: 1n, revenue: 0n });
    expect(Object.values(account()).every((amount) => amount === 0n)).toBe(true);
  });

  it('an order in another currency is counted apart, without its amounts', () => {
    expect(all({ currency: 'USD' })).toMatchObject({
      other_currency_orders: 1n,
      live_orders: 1n,
      counted_orders: 0n,
      revenue: 0n,
    });
  });

  it('an order counts as ruled, as unruled while it lives, or as neither', () => {
    const rules = (...records: readonly OrderRecord[]) => {
      const { ruled_orders, unruled_orders } = account(...records);
      return [ruled_orders, unruled_orders];
    };
    const cancelled = next({ eventType: 'cancellation', revenueDelta: -10_000n });
    expect(rules(PURCHASE)).toEqual([1n, 0n]);
    expect(rules({ ...PURCHASE, rule: 'unruled' })).toEqual([0n, 1n]);
    expect(rules({ ...PURCHASE, rule: 'untouched' })).toEqual([0n, 0n]);
    expect(rules({ ...PURCHASE, rule: 'unruled' }, { ...cancelled, rule: 'unruled' })).toEqual([0n, 0n]);
  });

  it('an order has a refund for each adjustment that takes revenue away, and for no other record', () => {
    const refunded = account(
      PURCHASE,
      next({ revenueDelta: -1_500n }),
      next({ revenueDelta: 0n }),
      next({ revenueDelta: 500n }),
      next({ eventType: 'commission', revenueDelta: 0n, commissionDelta: -75n }),
      next({ revenueDelta: -500n }),
    );
    expect(refunded).toMatchObject({
      refunds: 2n,
      refund_amount: 2_000n,
      revenue: 8_500n,
      commission: 425n,
      cancellations: 0n,
    });
  });

  it('an order has nothing left after a cancellation, which is no refund', () => {
    const cancelled = account(
      PURCHASE,
      next({
        eventType: 'cancellation',
        revenueDelta: -10_000n,
        marginDelta: -4_000n,
        commissionDelta: -500n,
      }),
    );
    expect(cancelled).toMatchObject({
      revenue: 0n,
      gross_profit: 0n,
      contribution: 0n,
      counted_orders: 1n,
      live_orders: 0n,
      refunds: 0n,
      cancellations: 1n,
      cancellation_amount: 10_000n,
    });
  });

  it('loses margin in proportion where an adjustment does not say it, rounded once, half to even', () => {
    const quarter = next({ revenueDelta: -2_500n });
    expect(account(PURCHASE, quarter).gross_profit).toBe(3_000n);
    expect(account(PURCHASE, quarter, quarter).gross_profit).toBe(2_000n);
    const matched = next({ eventType: 'commission', revenueDelta: 0n });
    expect(account(PURCHASE, quarter, matched).gross_profit).toBe(3_000n);
    const third = next({ revenueDelta: -3_333n });
    // 4,000 × 3,334 / 10,000 = 1,333.6
    expect(account(PURCHASE, third, third).gross_profit).toBe(1_334n);
    expect(account(PURCHASE, quarter, next({ revenueDelta: 0n, marginDelta: -100n })).gross_profit).toBe(
      2_900n,
    );
  });

  it('an order has at most the margin that was named: added revenue without a margin gives back what was taken', () => {
    const half = next({ revenueDelta: -5_000n });
    expect(account(PURCHASE, next({ revenueDelta: 2_000n })).gross_profit).toBe(4_000n);
    expect(account(PURCHASE, half, next({ revenueDelta: 4_000n })).gross_profit).toBe(3_600n);
    expect(account(PURCHASE, half, next({ revenueDelta: 9_000n })).gross_profit).toBe(4_000n);
    const named = next({ revenueDelta: -9_999n, marginDelta: 0n });
    expect(account(PURCHASE, named, next({ revenueDelta: 9_999n })).gross_profit).toBe(4_000n);
  });
});

describe('the rule in an order’s attribution', () => {
  const standing = (...touches: readonly (readonly [Attribution['outcome'], string])[]) =>
    standingOf(touches.map(([outcome, reason]) => ({ touch_id: 'touch', outcome, reason, share: '0.00' })));

  it('an order is ruled when a touch earns, or would but for another touch', () => {
    expect(standing(['refused', 'no_commission_rule'], ['attributed', 'shared_equally'])).toBe('ruled');
    expect(standing(['refused', 'other_touch_wins'])).toBe('ruled');
  });

  it('an order is unruled when its touches have no commission rule, or one of another currency', () => {
    expect(standing(['refused', 'no_commission_rule'])).toBe('unruled');
    expect(standing(['refused', 'outbound_touch'], ['refused', 'other_currency'])).toBe('unruled');
  });

  it('an order is neither ruled nor unruled when no touch counts', () => {
    expect(standing()).toBe('untouched');
    expect(standing(['unmatched', 'unknown_touch'], ['refused', 'after_purchase'])).toBe('untouched');
  });
});

describe('the contribution of a session to its arm', () => {
  it('a session contributes itself, and its amounts to the second and third power', () => {
    const sums = sumsOfSession(
      account({ ...PURCHASE, revenueDelta: 30n, marginDelta: -2n, commissionDelta: 3n }),
    );
    expect(sums).toMatchObject({
      sessions: 1n,
      converted_sessions: 1n,
      revenue: 30n,
      revenue_squares: 900n,
      revenue_cubes: 27_000n,
      gross_profit_squares: 4n,
      gross_profit_cubes: -8n,
      contribution_squares: 25n,
      contribution_cubes: -125n,
    });
  });

  it('a session contributes no conversion when none of its orders lives', () => {
    const sums = sumsOfSession(account());
    expect(sums).toMatchObject({ sessions: 1n, converted_sessions: 0n, revenue_squares: 0n });
    expect(isEmpty(sums)).toBe(false);
    expect(isEmpty(subtractSums(sums, sums))).toBe(true);
  });

  it('the contributions of two sessions are the same only when every amount is', () => {
    expect(isSameAccount(account(PURCHASE), account(PURCHASE))).toBe(true);
    expect(isSameAccount(account(PURCHASE), all({ rule: 'untouched' }))).toBe(false);
    expect(isSameAccount(account(PURCHASE), account())).toBe(false);
  });
});
