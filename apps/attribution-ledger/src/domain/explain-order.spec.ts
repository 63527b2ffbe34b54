import { describe, expect, it } from '@jest/globals';
import type { ConversionCommand } from '@truetally/contracts/attribution';
import { aCancellation, anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { decideGroup } from './decide-group.js';
import { explainOrder } from './explain-order.js';
import type { OrderRecord } from './order-record.js';
import { headAfter, sealEntry, type SealedEntry } from './seal-entries.js';

const SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const KNOWN = {
  keys: new Map(),
  refused: new Map(),
  orders: new Map(),
  lineIds: new Map(),
  touches: new Map(),
  rules: new Map(),
  settings: new Map(),
  erased: new Set<string>(),
};
const TOUCH = {
  touch_id: 'touch',
  provider: 'awin',
  partner_id: null,
  occurred_at: '2026-01-30T09:30:00.000Z',
} as const;

function recordsOf(...commands: readonly ConversionCommand[]): readonly OrderRecord[] {
  const sealed: SealedEntry[] = [];
  for (const outcome of decideGroup(
    commands.map((command) => itemOf(SITE, command)),
    KNOWN,
  )) {
    if (outcome.kind !== 'accepted') throw new Error('Not accepted.');
    const last = sealed.at(-1);
    const head =
      last === undefined ? { sequence: 0n, hash: '0'.repeat(64), recordedAt: '' } : headAfter(last);
    sealed.push(sealEntry(outcome.entry, head, '2026-02-01 00:00:00+00'));
  }
  return sealed.map(({ fields, hash }) => ({ ...fields, hash }));
}

function explain(records: readonly OrderRecord[], touches = new Map([['touch', TOUCH]])) {
  const [purchase, last] = [records[0], records.at(-1)];
  if (purchase === undefined || last === undefined) throw new Error('An order has records.');
  return explainOrder(SITE, { purchase, last, entries: records }, touches);
}

describe('an order as it is shown', () => {
  const orderId = 'order';
  const whole = aPurchase({
    orderId,
    revenue: 12_400n,
    tax: 1_900n,
    shipping: 500n,
    touchIds: ['touch', 'other'],
  });
  const end = aCancellation({ orderId, reversedRevenue: 11_100n });
  const change = anAdjustment({ orderId, revenueDelta: -1_300n, taxDelta: -200n, shippingDelta: -100n });

  it('a shown order has taxes and shipping with the sign of the requests, and never minus nothing', () => {
    const { entries } = explain(
      recordsOf(whole, change, anAdjustment({ ...change, occurredAt: LATER, ...NO_DELTAS })),
    );
    expect(entries.map((entry) => [entry.tax_delta, entry.shipping_delta, entry.discount_delta])).toEqual([
      ['19.00', '5.00', '0.00'],
      ['-2.00', '-1.00', '0.00'],
      ['0.00', '0.00', '0.00'],
    ]);
  });

  it('matches a touch that came after the cancellation where it is shown, and refuses it', () => {
    const { attribution, matched_touches, unmatched_touch_ids } = explain(recordsOf(whole, change, end));
    expect(attribution.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['refused', 'order_cancelled'],
      ['unmatched', 'unknown_touch'],
    ]);
    expect(matched_touches).toEqual([TOUCH]);
    expect(unmatched_touch_ids).toEqual(['other']);
  });

  it('shows one that came before it was recorded as it was recorded, while the order lives', () => {
    const { attribution, matched_touches } = explain(recordsOf(whole));
    expect(attribution.map(({ outcome }) => outcome)).toEqual(['unmatched', 'unmatched']);
    expect(matched_touches).toEqual([]);
  });

  it('leaves a touch as it was decided before the cancellation, and lists none that is erased', () => {
    const [record] = recordsOf(whole);
    if (record === undefined) throw new Error('No record.');
    const decided = [
      { touch_id: 'touch', outcome: 'refused', reason: 'outbound_touch', share: '0.00' },
      { touch_id: 'other', outcome: 'refused', reason: 'no_rule', share: '0.00' },
    ];
    const last = { ...record, state: 'cancelled', attribution: JSON.stringify(decided) };
    const { attribution, matched_touches, unmatched_touch_ids } = explain([last]);
    expect(attribution).toEqual(decided);
    expect(matched_touches).toEqual([TOUCH]);
    expect(unmatched_touch_ids).toEqual([]);
  });

  it('lists entries of commission apart from requested ones', () => {
    const [purchase] = recordsOf(whole);
    if (purchase === undefined) throw new Error('No record.');
    const matched = { event_type: 'commission', record_id: 'matched', commission: '150', lines: null };
    const place = { order_sequence: '2', chain_sequence: '2', commission_balance: '150' };
    const { entries, commission_entries, commission } = explain([
      purchase,
      { ...purchase, ...matched, ...place, lookback_days: '30', hash: 'of the second' },
    ]);
    expect(entries).toMatchObject([
      {
        event_type: 'purchase',
        sequence: '1',
        lookback_days: null,
        lines: [{ line_id: expect.any(String) }],
      },
    ]);
    expect(entries[0]?.occurred_at).toBe(new Date(whole.occurredAt).toISOString());
    expect(commission_entries).toEqual([
      {
        record_id: 'matched',
        recorded_at: '2026-02-01T00:00:00.000Z',
        commission_delta: '1.50',
        attribution_model: 'linear',
        lookback_days: 30,
        sequence: '2',
        hash: 'of the second',
      },
    ]);
    expect(commission).toBe('1.50');
  });

  it('an order as it is shown has no lines where an entry has none', () => {
    const { entries } = explain(recordsOf(whole, change, end));
    expect(entries.map(({ lines }) => lines === null)).toEqual([false, false, true]);
  });
});

const LATER = '2026-02-02T00:00:00.000Z';
const NO_DELTAS = {
  idempotencyKey: 'later',
  revenueDelta: 0n,
  commissionableDelta: 0n,
  taxDelta: 0n,
  shippingDelta: 0n,
};
