import type { ConversionCommand } from '@truetally/contracts/attribution';
import { ATTRIBUTION_MODELS } from '@truetally/contracts/facts';
import fc from 'fast-check';
import { aCancellation, anAdjustment, aPurchase } from './commands.js';
import type { ModelSettings, ModelTouch } from './ledger-model.js';

/** The model's parameters of each touch; the rules of the test's site are equal. */
export const TOUCHES = {
  percent: { partner_id: 'percent', occurred_at: '2026-01-30T09:30:00.000Z' },
  // At the time of another one, and exactly as old as the lookback of some purchases.
  other: { partner_id: 'other', occurred_at: '2026-01-30T09:30:00.000Z' },
  fixed: { partner_id: 'fixed', occurred_at: '2026-01-31T00:12:00.000Z' },
  old: { partner_id: 'other', occurred_at: '2026-01-25T00:12:00.000Z' },
  outbound: { partner_id: 'percent', direction: 'outbound', occurred_at: '2026-01-31T23:00:00.000Z' },
  late: { partner_id: 'percent', occurred_at: '2027-01-01T00:00:00.000Z' },
} as const;
export const EARNING: ReadonlyMap<string, ModelTouch> = new Map([
  ['percent', { at: TOUCHES.percent.occurred_at, percent: 5 }],
  ['other', { at: TOUCHES.other.occurred_at, percent: 7 }],
  ['fixed', { at: TOUCHES.fixed.occurred_at, fixedEur: 101 }],
  ['old', { at: TOUCHES.old.occurred_at, percent: 7 }],
  ['outbound', { at: TOUCHES.outbound.occurred_at }],
  ['late', { at: TOUCHES.late.occurred_at }],
]);
export const SETTINGS: fc.Arbitrary<ModelSettings> = fc.record({
  model: fc.constantFrom(...ATTRIBUTION_MODELS),
  lookbackDays: fc.constantFrom(null, 1, 7, 365),
});
export const TOUCH_IDS = Object.keys(TOUCHES) as (keyof typeof TOUCHES)[];

const ORDERS = fc.constantFrom('order-1', 'order-2', 'order-3');
const KEYS = fc.integer({ min: 1, max: 12 }).map((number) => `key-${number}`);
/** Few, so that many do not advance. */
const TIMES = fc
  .integer({ min: 0, max: 25 })
  .map((minute) => `2026-02-01T00:${String(minute).padStart(2, '0')}:00.000Z`);
const CURRENCIES = fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY');
const CHANGES = fc.integer({ min: -400, max: 100 }).map(BigInt);

const PURCHASES = fc
  .record({
    orderId: ORDERS,
    idempotencyKey: KEYS,
    occurredAt: TIMES,
    currency: CURRENCIES,
    merchandise: fc.bigInt(0n, 1_000n),
    tax: fc.bigInt(0n, 100n),
    touchIds: fc.subarray(TOUCH_IDS),
  })
  .map(({ merchandise, tax, ...rest }) => {
    const amounts = { merchandise, tax, revenue: merchandise + tax, commissionableSubtotal: merchandise };
    return aPurchase({ ...rest, ...amounts });
  });
const ADJUSTMENTS = fc
  .record({
    orderId: ORDERS,
    idempotencyKey: KEYS,
    occurredAt: TIMES,
    currency: CURRENCIES,
    revenueDelta: CHANGES,
    commissionableDelta: CHANGES,
    taxDelta: CHANGES,
  })
  .map((given) => anAdjustment(given));
const CANCELLATIONS = fc
  .record({
    orderId: ORDERS,
    idempotencyKey: KEYS,
    occurredAt: TIMES,
    currency: CURRENCIES,
    reversedRevenue: fc.bigInt(0n, 1_000n),
  })
  .map((given) => aCancellation(given));
/** With few orders, keys and times, so that many conflict. */
export const COMMANDS: fc.Arbitrary<ConversionCommand> = fc.oneof(
  { arbitrary: PURCHASES, weight: 3 },
  { arbitrary: ADJUSTMENTS, weight: 5 },
  { arbitrary: CANCELLATIONS, weight: 1 },
);
