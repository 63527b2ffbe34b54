import { describe, expect, it } from '@jest/globals';
import type { Adjustment, Cancellation, ConversionCommand, Purchase } from '@truetally/contracts/attribution';
import { MAX_MINOR } from '@truetally/kernel';
import { aCancellation, aLine, anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { decideGroup, type GroupItem, type Known, type Outcome } from './decide-group.js';
import { orderKey } from './order.js';

const SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const OTHER_SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e02';
const NOTHING: Known = {
  keys: new Map(),
  refused: new Map(),
  orders: new Map(),
  lineIds: new Map(),
  touches: new Map(),
  rules: new Map(),
  settings: new Map(),
  erased: new Set(),
};
const orderId = 'order';

function decide(...commands: readonly ConversionCommand[]): readonly Outcome[] {
  return decideGroup(
    commands.map((command) => itemOf(SITE, command)),
    NOTHING,
  );
}

/** The errors of the last command, by field. */
function conflicts(...commands: readonly ConversionCommand[]): unknown {
  const last = decide(...commands).at(-1);
  return last?.kind === 'refused' ? last.failure.details : last?.kind;
}

const purchase = (given: Partial<Purchase> = {}): Purchase => aPurchase({ orderId, ...given });
const adjustment = (given: Partial<Adjustment> = {}): Adjustment => anAdjustment({ orderId, ...given });
const cancellation = (given: Partial<Cancellation> = {}): Cancellation =>
  aCancellation({ orderId, ...given });

describe('the state rules of section 6', () => {
  it('an adjustment or cancellation needs a purchase of its order', () => {
    expect(conflicts(adjustment())).toEqual({ 'adjustment.order_id': ['has no purchase'] });
    expect(conflicts(cancellation())).toEqual({ 'cancellation.order_id': ['has no purchase'] });
    expect(conflicts(purchase({ orderId: 'other' }), adjustment())).toEqual({
      'adjustment.order_id': ['has no purchase'],
    });
  });

  it('a copy of a refused message is refused as the first one, also when its order has a purchase by then', () => {
    const [early, purchased] = [cancellation(), purchase()].map((command) => itemOf(SITE, command));
    if (early === undefined || purchased === undefined) throw new Error('There are two.');
    const copy = { ...early, place: { ...early.place, offset: '4711' } };
    const [first, accepted, second] = decideGroup([early, purchased, copy], NOTHING);
    expect([first?.kind, accepted?.kind]).toEqual(['refused', 'accepted']);
    expect(second).toEqual(first);
    // A client's next request is another message.
    const again = { ...early, correlationId: 'another' };
    expect(decideGroup([early, purchased, again], NOTHING).at(-1)?.kind).toBe('accepted');
  });

  it('an order has one purchase, in whatever currency', () => {
    const expected = { 'conversion.order_id': ['has a purchase under another idempotency key'] };
    expect(conflicts(purchase(), purchase())).toEqual(expected);
    expect(conflicts(purchase(), purchase({ currency: 'JPY' }))).toEqual(expected);
  });

  it('reports all errors at once', () => {
    const refused = adjustment({
      occurredAt: '2026-01-31T09:30:00.000Z',
      revenueDelta: -10_001n,
      commissionableDelta: -10_002n,
      marginDelta: 1n,
      lines: [
        { lineId: 'line-1', quantityDelta: '-1', subtotalDelta: -1n },
        { lineId: 'line-2', quantityDelta: '-1', subtotalDelta: -1n },
      ],
    });
    expect(conflicts(purchase(), refused)).toEqual({
      'adjustment.occurred_at': ['must be later than that of the latest entry of the order'],
      'adjustment.revenue_delta': ['would make the remaining revenue -0.01: it is 100.00'],
      'adjustment.commissionable_delta': [
        'would make the remaining commissionable amount -0.02: it is 100.00',
      ],
      'adjustment.margin_delta': ['must be absent: the purchase has no margin'],
      'adjustment.lines.1.line_id': ['is not a line of the purchase'],
    });
  });

  it('an adjustment is of the order’s currency', () => {
    expect(conflicts(purchase(), adjustment({ currency: 'JPY' }))).toEqual({
      'adjustment.currency': ['must be EUR, the currency of the purchase'],
    });
  });

  it('a command in another currency gets no errors about amounts, but all others', () => {
    const line = { lineId: 'line-9', quantityDelta: '-1', subtotalDelta: -1n };
    const amounts = { revenueDelta: -20_000n, commissionableDelta: -20_000n, marginDelta: 1n };
    expect(conflicts(purchase(), adjustment({ currency: 'JPY', ...amounts, lines: [line] }))).toEqual({
      'adjustment.currency': ['must be EUR, the currency of the purchase'],
      'adjustment.margin_delta': ['must be absent: the purchase has no margin'],
      'adjustment.lines.0.line_id': ['is not a line of the purchase'],
    });
    expect(conflicts(purchase(), cancellation({ currency: 'JPY', reversedRevenue: 1n }))).toEqual({
      'cancellation.currency': ['must be EUR, the currency of the purchase'],
    });
  });

  it('an adjustment may take all that remains, to exactly zero, and not one unit more', () => {
    const [whole, more] = [-10_000n, -10_001n];
    const all = adjustment({ revenueDelta: whole, commissionableDelta: whole });
    const last = decide(purchase(), all).at(-1);
    if (last?.kind !== 'accepted') throw new Error('An adjustment to zero was refused.');
    expect(last.entry.order.balances).toMatchObject({ receivable: 0n, commissionable: 0n });
    expect(last.entry.order.state).toBe('adjusted');
    expect(conflicts(purchase(), adjustment({ revenueDelta: more }))).toHaveProperty([
      'adjustment.revenue_delta',
    ]);
    expect(conflicts(purchase(), adjustment({ commissionableDelta: more }))).toHaveProperty([
      'adjustment.commissionable_delta',
    ]);
  });

  it('a command after a cancellation is told only of the order, whatever else is wrong', () => {
    const wrong = { currency: 'JPY', occurredAt: '2026-01-01T00:00:00.000Z' };
    const nothing = ['is cancelled: nothing can follow'];
    const line = { lineId: 'line-9', quantityDelta: '-1', subtotalDelta: -1n };
    const refused = adjustment({ ...wrong, marginDelta: 1n, lines: [line] });
    expect(conflicts(purchase(), cancellation(), refused)).toEqual({ 'adjustment.order_id': nothing });
    const again = cancellation({ occurredAt: '2026-04-01T00:00:00.000Z', reversedRevenue: 7n });
    expect(conflicts(purchase(), cancellation(), again)).toEqual({ 'cancellation.order_id': nothing });
  });

  it('time advances by at least a microsecond, and only with accepted commands', () => {
    const next = { occurredAt: '2026-01-31T09:30:00.000001Z' };
    expect(conflicts(purchase(), adjustment(next))).toBe('accepted');
    expect(conflicts(purchase(), adjustment(next), adjustment(next))).toHaveProperty([
      'adjustment.occurred_at',
    ]);
    const refused = adjustment({ revenueDelta: -20_000n, occurredAt: '2026-12-01T00:00:00.000Z' });
    expect(conflicts(purchase(), refused, adjustment())).toBe('accepted');
  });

  it('balances stay within the limits of an amount', () => {
    const most = purchase({ revenue: MAX_MINOR, merchandise: MAX_MINOR });
    expect(conflicts(most, adjustment({ revenueDelta: 0n }))).toBe('accepted');
    expect(conflicts(most, adjustment({ revenueDelta: 1n }))).toEqual({
      'adjustment.revenue_delta': ['would make the remaining revenue more than 92233720368547758.07'],
    });
  });

  it('a cancellation reverses exactly the balances, to zero on every account, and nothing follows it', () => {
    const margin = { amount: 5_000n, basis: 'exact', source: 'erp' } as const;
    const whole = purchase({
      revenue: 12_300n,
      tax: 1_900n,
      shipping: 500n,
      discount: 100n,
      margin,
      lines: [aLine({ itemCost: '49', discount: 100n })],
    });
    const change = adjustment({ revenueDelta: -1_300n, taxDelta: -200n, marginDelta: -10n });
    expect(conflicts(whole, change, cancellation({ reversedRevenue: 12_300n }))).toEqual({
      'cancellation.reversed_revenue': ['must be the remaining revenue 110.00, not 123.00'],
    });
    const end = cancellation({ reversedRevenue: 11_000n });
    const last = decide(whole, change, end).at(-1);
    if (last?.kind !== 'accepted') throw new Error('A cancellation was refused.');
    expect(new Set(Object.values(last.entry.order.balances))).toEqual(new Set([0n]));
    const after = { occurredAt: '2026-04-01T00:00:00.000Z' };
    const expected = ['is cancelled: nothing can follow'];
    expect(conflicts(whole, change, end, adjustment(after))).toEqual({ 'adjustment.order_id': expected });
    expect(conflicts(whole, change, end, cancellation({ ...after, reversedRevenue: 0n }))).toEqual({
      'cancellation.order_id': expected,
    });
    expect(conflicts(whole, change, end, purchase())).toHaveProperty(['conversion.order_id']);
  });
});

describe('an idempotency key', () => {
  const idempotencyKey = 'key';

  it('identifies one payload of a site, over all three envelopes', () => {
    expect(conflicts(purchase({ idempotencyKey }), adjustment({ idempotencyKey }))).toEqual({
      'adjustment.idempotency_key': ['was used for another payload'],
    });
    const again = purchase({ idempotencyKey, revenue: 9_999n, merchandise: 9_999n });
    expect(conflicts(purchase({ idempotencyKey }), again)).toEqual({
      'conversion.idempotency_key': ['was used for another payload'],
    });
  });

  it('answers a replay with the entry that it made, whatever came after', () => {
    const first = purchase({ idempotencyKey });
    const [accepted, , replayed] = decide(first, cancellation(), first);
    if (accepted?.kind !== 'accepted') throw new Error('A purchase was refused.');
    expect(replayed).toEqual({ kind: 'replayed', accepted: accepted.entry, isFirst: false });
  });

  it('a refusal does not use up the idempotency key', () => {
    const refused = adjustment({ idempotencyKey, revenueDelta: -10_001n });
    expect(conflicts(purchase(), refused, adjustment({ idempotencyKey }))).toBe('accepted');
  });

  it('answers the very message that it came with as the first time', () => {
    const item: GroupItem = itemOf(SITE, purchase());
    expect(decideGroup([item, item], NOTHING)[1]).toMatchObject({ kind: 'replayed', isFirst: true });
  });

  it('answers a copy of it elsewhere in the log as the first time, and another message at its place as a replay', () => {
    const item = itemOf(SITE, purchase());
    const copy = { ...item, place: { ...item.place, partition: 4, offset: '4711' } };
    const other = { ...item, correlationId: 'other' };
    const [, copied, repeated] = decideGroup([item, copy, other], NOTHING);
    expect(copied).toMatchObject({ kind: 'replayed', isFirst: true });
    expect(repeated).toMatchObject({ kind: 'replayed', isFirst: false });
  });

  it('an idempotency key belongs to one site: another site’s key and order are others', () => {
    const items = [SITE, OTHER_SITE].map((siteId) => itemOf(siteId, purchase({ idempotencyKey })));
    const kinds = decideGroup(items, NOTHING).map(({ kind }) => kind);
    expect(kinds).toEqual(['accepted', 'accepted']);
  });
});

describe('touches that come after their purchase', () => {
  const touch = {
    touchId: 'touch',
    provider: 'awin',
    direction: 'inbound',
    partnerId: null,
    occurredAt: '2026-01-30 09:30:00+00',
  } as const;
  const later: Known = { ...NOTHING, touches: new Map([[SITE, new Map([['touch', touch]])]]) };
  const match: GroupItem = { kind: 'match', siteId: SITE, orderId };

  /** The order after these commands, while its touch is unknown. */
  function orderAfter(...commands: readonly ConversionCommand[]): Known['orders'] {
    const outcomes = decide(...commands);
    const entries = outcomes.flatMap((one) => (one.kind === 'accepted' ? [one.entry] : []));
    expect(entries).toHaveLength(commands.length);
    return new Map(entries.map(({ order }) => [orderKey(SITE, orderId), order]));
  }

  it('late touches are matched with their purchase once, by a record that moves no money', () => {
    const orders = orderAfter(purchase({ touchIds: ['touch', 'other'] }));
    const [first, second] = decideGroup([match, match], { ...later, orders });
    if (first?.kind !== 'accepted') throw new Error('The touch was not matched.');
    expect(first.entry).toMatchObject({ eventType: 'commission', touchIds: ['touch'], asked: null });
    expect(first.entry.deltas).toMatchObject({ receivable: 0n, commissionable: 0n, margin: null });
    expect(first.entry.order.orderSequence).toBe(2);
    expect(second).toEqual({ kind: 'idle' });
  });

  it('unknown touches, touches of no order and touches of a cancelled order are matched by nothing', () => {
    const orders = orderAfter(purchase({ touchIds: ['touch'] }));
    expect(decideGroup([match], { ...NOTHING, orders })).toEqual([{ kind: 'idle' }]);
    expect(decideGroup([match], later)).toEqual([{ kind: 'idle' }]);
    const cancelled = orderAfter(purchase({ touchIds: ['touch'] }), cancellation());
    expect(decideGroup([match], { ...later, orders: cancelled })).toEqual([{ kind: 'idle' }]);
  });

  it('touches and everything else of a deleted site change nothing', () => {
    const erased = {
      ...later,
      orders: orderAfter(purchase({ touchIds: ['touch'] })),
      erased: new Set([SITE]),
    };
    const [matched, refused] = decideGroup([match, itemOf(SITE, adjustment())], erased);
    expect(matched).toEqual({ kind: 'idle' });
    expect(refused).toMatchObject({ kind: 'refused', failure: { code: 'UNAUTHORIZED' } });
  });

  it('late touches are decided by the settings of their own site', () => {
    const settings = new Map([
      [SITE, { model: 'last_touch', lookbackDays: 9, incarnation: 1, version: 2 } as const],
    ]);
    const items = [SITE, OTHER_SITE].map((siteId) => itemOf(siteId, purchase()));
    const rules = decideGroup(items, { ...NOTHING, settings }).map((one) =>
      one.kind === 'accepted' ? one.entry.rule : one.kind,
    );
    expect(rules).toEqual([
      { model: 'last_touch', lookbackDays: 9 },
      { model: 'linear', lookbackDays: null },
    ]);
  });
});
