import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ASSIGNED_MS, knownRecords, orderRecord, SESSION } from '../testing/order-records.js';
import { type Account, addAccounts, EMPTY_ACCOUNT, isSameAccount, type Sums } from './account.js';
import { changeOfHours, foldSession, newSession } from './fold-session.js';
import type { OrderRecord } from './order-account.js';
import { continueOrder, hoursOf, type OrderState, recomputeOrder, stateOf } from './order-state.js';
import { SumChanges } from './sum-changes.js';

const HOUR_MS = 3_600_000;
const ARM = { experimentId: 'e1', variant: 'control' } as const;

/** A session that is folded as its tables are: from the states of its orders and its totals by hour. */
class FoldedByAndBy {
  readonly changes = new SumChanges();
  account = EMPTY_ACCOUNT;
  recomputed = 0;
  private readonly records: OrderRecord[] = [];
  private readonly orders = new Map<string, OrderState>();
  private readonly hours = new Map<number, Account>();

  constructor() {
    this.changes.add(ARM, newSession(SESSION));
  }

  add(added: readonly OrderRecord[]): void {
    this.records.push(...added);
    const changes = new Map<number, Account>();
    const currencies = new Map<string, bigint>();
    for (const [conversionId, own] of Map.groupBy(added, (record) => record.conversionId)) {
      const change = continueOrder(SESSION, this.orders.get(conversionId), own) ?? this.recompute(own);
      if (change === undefined) throw new Error('An order without records.');
      this.orders.set(conversionId, change.state);
      for (const [hourMs, account] of change.hours) addTo(changes, hourMs, account);
      for (const [currency, count] of change.otherCurrencies)
        currencies.set(currency, (currencies.get(currency) ?? 0n) + count);
    }
    const hours = changeOfHours(this.account, this.hours, changes);
    this.changes.add(ARM, { hours, otherCurrencies: currencies });
    for (const [hourMs, change] of changes) {
      addTo(this.hours, hourMs, change);
      this.account = addAccounts(this.account, change);
    }
  }

  get sums(): ReadonlyMap<number, Sums> {
    const hours = [...this.changes.hours.values()].map(({ hourMs, total }) => [hourMs, total.sums] as const);
    return new Map(hours.filter(([, sums]) => Object.values(sums).some((value) => value !== 0n)));
  }

  get currencies(): ReadonlyMap<string, bigint> {
    const all = [...this.changes.currencies.values()].map(
      ({ currency, orders }) => [currency, orders] as const,
    );
    return new Map(all.filter(([, orders]) => orders !== 0n));
  }

  get totals(): ReadonlyMap<number, Account> {
    return new Map([...this.hours].filter(([, account]) => !isSameAccount(account, EMPTY_ACCOUNT)));
  }

  private recompute(added: readonly OrderRecord[]) {
    this.recomputed += 1;
    const ids = new Set(added.map(({ recordId }) => recordId));
    const own = this.records.filter(({ conversionId }) => conversionId === added[0]?.conversionId);
    return recomputeOrder(SESSION, own, (recordId) => ids.has(recordId));
  }
}

function addTo(hours: Map<number, Account>, hourMs: number, change: Account): void {
  hours.set(hourMs, addAccounts(hours.get(hourMs) ?? EMPTY_ACCOUNT, change));
}

const deliveries = knownRecords.chain((records) =>
  fc.record({
    records: fc.shuffledSubarray(records, { minLength: records.length }),
    size: fc.integer({ min: 1, max: 4 }),
  }),
);

describe('a session that is folded by and by', () => {
  it('equals its recomputation after every piece, in whatever order its records come', () => {
    fc.assert(
      fc.property(deliveries, ({ records, size }) => {
        const folded = new FoldedByAndBy();
        for (let from = 0; from < records.length; from += size) {
          folded.add(records.slice(from, from + size));
          const wanted = foldSession(SESSION, records.slice(0, from + size));
          expect(folded.account).toEqual(wanted.account);
          expect(folded.totals).toEqual(wanted.accounts);
          expect(folded.sums).toEqual(wanted.hours);
          expect(folded.currencies).toEqual(wanted.otherCurrencies);
        }
      }),
    );
  });

  it('never reads the former records of orders that come in their order', () => {
    const folded = new FoldedByAndBy();
    for (const orderSequence of [1, 2, 3, 4, 5, 6]) {
      folded.add([orderRecord({ orderSequence, recordedAtMs: ASSIGNED_MS + orderSequence * HOUR_MS })]);
      // Other orders of the session are in other partitions, whose hours differ.
      folded.add([orderRecord({ conversionId: `other ${orderSequence}` })]);
    }
    expect(folded.recomputed).toBe(0);
    folded.add([orderRecord({ conversionId: 'late', orderSequence: 2 })]);
    folded.add([orderRecord({ conversionId: 'late', orderSequence: 1 })]);
    expect(folded.recomputed).toBe(1);
  });
});

describe('the state of an order', () => {
  it('the state of an order is that of its records, however many of them come at a time', () => {
    fc.assert(
      fc.property(knownRecords, fc.nat(12), (all, count) => {
        const own = all
          .filter(({ conversionId }) => conversionId === 'a')
          .toSorted((one, other) => one.orderSequence - other.orderSequence);
        const known = stateOf(SESSION, own.slice(0, count));
        const change = continueOrder(SESSION, known, own.slice(count));
        if (change !== undefined) expect(change.state).toEqual(stateOf(SESSION, own));
      }),
    );
  });

  it('an order has no more margin than its records name together, whichever of them are known', () => {
    fc.assert(
      fc.property(knownRecords, (all) => {
        const own = all.filter(({ conversionId, currency }) => conversionId === 'a' && currency === 'EUR');
        const named = own.map(({ marginDelta }) => marginDelta ?? 0n);
        const most = named.reduce((sum, margin) => sum + (margin < 0n ? -margin : margin), 0n);
        for (const { gross_profit } of foldSession(SESSION, own).accounts.values()) {
          expect(gross_profit <= 2n * most && gross_profit >= -2n * most).toBe(true);
        }
        const total = foldSession(SESSION, own).account.gross_profit;
        expect(total <= most && total >= -most).toBe(true);
      }),
    );
  });

  it('an order whose growth is taken back within the hour changes nothing', () => {
    const commission = (commissionDelta: bigint, orderSequence: number): OrderRecord =>
      orderRecord({
        eventType: 'commission',
        revenueDelta: 0n,
        marginDelta: null,
        commissionDelta,
        orderSequence,
      });
    const later = { recordedAtMs: ASSIGNED_MS + HOUR_MS };
    const records = [
      orderRecord(),
      { ...commission(10n, 2), ...later },
      { ...commission(-10n, 3), ...later },
    ];
    expect([...hoursOf(SESSION, records).keys()]).toHaveLength(1);
  });
});
