import type { ConversionCommand } from '@truetally/contracts/attribution';
import fc from 'fast-check';
import { aCancellation, anAdjustment, aPurchase } from './commands.js';
import type { ModelTouch } from './ledger-model.js';

/** What the model is told of each touch; the rules of a test's site say the same. */
export const EARNING: ReadonlyMap<string, ModelTouch> = new Map([
  ['percent', { percent: 5 }],
  ['other', { percent: 7 }],
  ['fixed', { fixedEur: 101 }],
  ['outbound', {}],
  ['late', {}],
]);
export const TOUCHES = {
  percent: { partner_id: 'percent' },
  other: { partner_id: 'other' },
  fixed: { partner_id: 'fixed' },
  outbound: { partner_id: 'percent', direction: 'outbound' },
  late: { partner_id: 'percent', occurred_at: '2027-01-01T00:00:00.000Z' },
} as const;
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
/** Of few orders, keys and times, so that many stand in each other's way. */
export const COMMANDS: fc.Arbitrary<ConversionCommand> = fc.oneof(
  { arbitrary: PURCHASES, weight: 3 },
  { arbitrary: ADJUSTMENTS, weight: 5 },
  { arbitrary: CANCELLATIONS, weight: 1 },
);
