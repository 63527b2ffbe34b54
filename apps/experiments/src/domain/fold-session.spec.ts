import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Account, addAccounts, EMPTY_ACCOUNT, isEmpty, sumsOfSession } from './account.js';
import { contributionOf, foldSession, totalOf } from './fold-session.js';
import { type OrderRecord, standingOf } from './order-account.js';
import { ASSIGNED_MS, FROM, knownRecords, orderRecord as record, SESSION } from '../testing/order-records.js';

const HOUR_MS = 3_600_000;

const adjustment = (fields: Partial<OrderRecord>): OrderRecord =>
  record({ eventType: 'adjustment', marginDelta: null, commissionDelta: 0n, ...fields });

const accountOf = (...records: readonly OrderRecord[]): Account => foldSession(SESSION, records).account;

describe('the contribution of an order to its session', () => {
  it('the window is assigned_at ≤ the purchase’s occurred_at < assigned_at + attribution_window_days', () => {
    const to = SESSION.window.to;
    expect(accountOf(record({ purchasedAt: FROM - 1n }))).toEqual(EMPTY_ACCOUNT);
    expect(accountOf(record({ purchasedAt: FROM })).counted_orders).toBe(1n);
    expect(accountOf(record({ purchasedAt: to - 1n })).counted_orders).toBe(1n);
    expect(accountOf(record({ purchasedAt: to }))).toEqual({ ...EMPTY_ACCOUNT, late_orders: 1n });
  });

  it('the contribution of an order is net of adjustments and cancellations, whenever they come', () => {
    const late = { recordedAtMs: ASSIGNED_MS + 400 * 24 * HOUR_MS };
    const partial = adjustment({ orderSequence: 2, revenueDelta: -2_500n, commissionDelta: -125n, ...late });
    expect(accountOf(record(), partial)).toMatchObject({
      revenue: 7_500n,
      gross_profit: 3_000n,
      commission: 375n,
      contribution: 2_625n,
      live_orders: 1n,
      refunds: 1n,
      refund_amount: 2_500n,
    });
    const cancelled = record({
      orderSequence: 3,
      eventType: 'cancellation',
      revenueDelta: -7_500n,
      marginDelta: -4_000n,
      commissionDelta: -375n,
      ...late,
    });
    expect(accountOf(record(), partial, cancelled)).toMatchObject({
      revenue: 0n,
      gross_profit: 0n,
      commission: 0n,
      contribution: 0n,
      counted_orders: 1n,
      live_orders: 0n,
      cancellations: 1n,
      cancellation_amount: 7_500n,
    });
  });

  it('a session whose orders are all cancelled is not converted', () => {
    const gone = record({ orderSequence: 2, eventType: 'cancellation', revenueDelta: -10_000n });
    const convertedBy = (...records: readonly OrderRecord[]) =>
      sumsOfSession(accountOf(...records)).converted_sessions;
    expect(convertedBy(record())).toBe(1n);
    expect(convertedBy(record(), gone)).toBe(0n);
    expect(convertedBy(record(), gone, record({ conversionId: 'other' }))).toBe(1n);
  });

  it('an adjustment without margin_delta takes margin away in proportion to revenue, rounded once', () => {
    const cuts = [2, 3, 4].map((orderSequence) => adjustment({ orderSequence, revenueDelta: -3_333n }));
    expect(accountOf(record(), ...cuts.slice(0, 1)).gross_profit).toBe(2_667n);
    // 4,000 × 1 / 10,000, and not the result of three roundings.
    expect(accountOf(record(), ...cuts).gross_profit).toBe(0n);
    const said = adjustment({ orderSequence: 2, revenueDelta: -5_000n, marginDelta: -3_000n });
    expect(accountOf(record(), said).gross_profit).toBe(1_000n);
    const rest = adjustment({ orderSequence: 3, revenueDelta: -5_000n });
    expect(accountOf(record(), said, rest).gross_profit).toBe(0n);
  });

  it('gross profit uses exact margins only; commission counts all the same', () => {
    const estimated = record({ hasExactMargin: false, conversionId: 'estimated' });
    expect(accountOf(record(), estimated)).toMatchObject({
      gross_profit: 4_000n,
      commission: 1_000n,
      contribution: 3_000n,
      counted_orders: 2n,
      exact_orders: 1n,
    });
  });

  it('orders in another currency are left out of monetary measures, counted, and named', () => {
    const folded = foldSession(SESSION, [record({ currency: 'USD' }), record({ conversionId: 'own' })]);
    expect(folded.account).toMatchObject({
      revenue: 10_000n,
      counted_orders: 1n,
      live_orders: 2n,
      other_currency_orders: 1n,
    });
    expect([...folded.otherCurrencies]).toEqual([['USD', 1n]]);
  });

  it('its commission is known by a rule, unknown without one, and nothing without a touch', () => {
    const one = { touch_id: 't', share: '0.00' };
    expect(standingOf([])).toBe('untouched');
    expect(standingOf([{ ...one, outcome: 'attributed', reason: 'shared_equally' }])).toBe('ruled');
    expect(standingOf([{ ...one, outcome: 'refused', reason: 'no_commission_rule' }])).toBe('unruled');
    expect(standingOf([{ ...one, outcome: 'refused', reason: 'after_purchase' }])).toBe('untouched');
    expect(
      standingOf([
        { ...one, outcome: 'refused', reason: 'no_commission_rule' },
        { ...one, outcome: 'attributed', reason: 'shared_equally' },
      ]),
    ).toBe('ruled');
  });
});

describe('reordered, repeated and very late facts give the same end state', () => {
  it('whatever the order in which they come, and however often', () => {
    fc.assert(
      fc.property(
        knownRecords.chain((records) =>
          fc.record({
            records: fc.constant(records),
            delivered: fc.array(fc.nat(), { maxLength: 12 }).chain((again) =>
              fc.shuffledSubarray([...records, ...again.flatMap((n) => records.at(n % 12) ?? [])], {
                minLength: records.length,
              }),
            ),
          }),
        ),
        ({ records, delivered }) => {
          const all = [...delivered, ...records];
          expect(foldSession(SESSION, all)).toEqual(foldSession(SESSION, records));
        },
      ),
    );
  });

  it('the totals of its hours sum up to those of the session', () => {
    fc.assert(
      fc.property(knownRecords, (records) => {
        const { account, accounts } = foldSession(SESSION, records);
        expect([...accounts.values()].reduce(addAccounts, EMPTY_ACCOUNT)).toEqual(account);
      }),
    );
  });

  it('the hours sum up to the session’s contribution to its arm', () => {
    fc.assert(
      fc.property(knownRecords, (records) => {
        const folded = foldSession(SESSION, records);
        expect(totalOf(folded.hours)).toEqual(sumsOfSession(folded.account));
      }),
    );
  });

  it('each hour contains only records until its end', () => {
    fc.assert(
      fc.property(knownRecords, fc.integer({ min: 0, max: 50 }), (records, count) => {
        const end = (Math.floor(ASSIGNED_MS / HOUR_MS) + 1 + count) * HOUR_MS;
        const until = new Map([...foldSession(SESSION, records).hours].filter(([hour]) => hour < end));
        const known = records.filter(({ recordedAtMs }) => recordedAtMs < end);
        expect(totalOf(until)).toEqual(sumsOfSession(foldSession(SESSION, known).account));
      }),
    );
  });
});

describe('all that a session adds to its arm', () => {
  it('all that a session adds to its arm is known from its totals by hour, without its records', () => {
    fc.assert(
      fc.property(knownRecords, (records) => {
        const folded = foldSession(SESSION, records);
        const whole = contributionOf(SESSION, folded.accounts);
        expect(new Map([...whole].filter(([, sums]) => !isEmpty(sums)))).toEqual(folded.hours);
      }),
    );
  });
});
