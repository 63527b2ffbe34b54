import { describe, expect, it } from '@jest/globals';
import { LEDGER_ACCOUNTS } from '@truetally/contracts/attribution';
import { parseDecimal } from '@truetally/kernel';
import fc from 'fast-check';
import { aCancellation, aLine, anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import type { Amounts } from './accounts.js';
import { decideGroup, type GroupItem, type Known } from './decide-group.js';
import type { Entry } from './order.js';

const SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const TOUCH = {
  touchId: 'touch',
  provider: 'awin',
  direction: 'inbound',
  partnerId: null,
  occurredAt: '2026-01-30 09:30:00+00',
} as const;
const TEN_PERCENT = {
  provider: 'awin',
  partnerId: null,
  type: 'percentage',
  rate: parseDecimal('0.1') ?? null,
  amount: null,
  currency: null,
  effectiveFrom: '2026-01-01 00:00:00+00',
} as const;
const KNOWN: Known = {
  keys: new Map(),
  refused: new Map(),
  orders: new Map(),
  lineIds: new Map(),
  touches: new Map([[SITE, new Map([['touch', TOUCH]])]]),
  rules: new Map([[SITE, [TEN_PERCENT]]]),
  settings: new Map(),
  erased: new Set(),
};
const orderId = 'order';
/** With an amount on every account: 123.00 = 101.00 − 1.00 + 18.00 + 5.00. */
const PURCHASE = aPurchase({
  orderId,
  revenue: 12_300n,
  merchandise: 10_100n,
  discount: 100n,
  tax: 1_800n,
  shipping: 500n,
  lines: [aLine({ discount: 100n, itemCost: '40' })],
  margin: { amount: 6_000n, basis: 'estimated', source: 'erp' },
  touchIds: ['touch'],
});

function entriesOf(...items: readonly GroupItem[]): readonly Entry[] {
  return decideGroup(items, KNOWN).map((outcome) => {
    if (outcome.kind !== 'accepted') throw new Error(`It is ${outcome.kind}.`);
    return outcome.entry;
  });
}

const PASSED_ON = ['receivable', 'merchandise', 'discount', 'tax', 'shipping'] as const;

/** The sum of the amounts that are paid and passed on, and that of the observed ones. */
function halvesOf(amounts: Amounts): readonly bigint[] {
  const isPassedOn = (account: string): boolean => PASSED_ON.some((one) => one === account);
  const sumOf = (accounts: readonly (keyof Amounts)[]): bigint =>
    accounts.reduce((total, account) => total + (amounts[account] ?? 0n), 0n);
  return [sumOf(PASSED_ON), sumOf(LEDGER_ACCOUNTS.filter((account) => !isPassedOn(account)))];
}

describe('an entry of the ledger', () => {
  it('sums to zero in both halves, and so do the balances after it', () => {
    const cents = fc.bigInt({ min: -2_000n, max: 2_000n });
    const change = fc.record({
      revenue: cents,
      commissionable: cents,
      tax: cents,
      shipping: cents,
      margin: cents,
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        const adjustments = changes.map((one, index) =>
          anAdjustment({
            orderId,
            occurredAt: `2026-02-0${index + 1}T00:00:00.000Z`,
            revenueDelta: one.revenue,
            commissionableDelta: one.commissionable,
            taxDelta: one.tax,
            shippingDelta: one.shipping,
            marginDelta: one.margin,
          }),
        );
        const remaining = changes.reduce((sum, { revenue }) => sum + revenue, PURCHASE.revenue);
        const end = aCancellation({ orderId, reversedRevenue: remaining });
        const entries = entriesOf(...[PURCHASE, ...adjustments, end].map((command) => itemOf(SITE, command)));
        for (const { deltas, order } of entries) {
          expect([...halvesOf(deltas), ...halvesOf(order.balances)]).toEqual([0n, 0n, 0n, 0n]);
        }
        expect(Object.values(entries.at(-1)?.order.balances ?? {}).every((left) => left === 0n)).toBe(true);
      }),
    );
  });

  it('changes the commission to that of the remaining amount, and to zero at the end', () => {
    const entries = entriesOf(
      itemOf(SITE, PURCHASE),
      itemOf(SITE, anAdjustment({ orderId, commissionableDelta: -4_000n })),
      itemOf(SITE, aCancellation({ orderId, reversedRevenue: 11_300n })),
    );
    expect(entries.map(({ deltas }) => deltas.commission)).toEqual([1_000n, -400n, -600n]);
    expect(entries.map(({ order }) => order.balances.commission)).toEqual([1_000n, 600n, 0n]);
    expect(entries.map(({ order }) => order.attribution[0]?.reason)).toEqual([
      'shared_equally',
      'shared_equally',
      'order_cancelled',
    ]);
  });
});
