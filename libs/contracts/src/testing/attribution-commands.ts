import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import {
  ADJUSTMENT_REASONS,
  type Adjustment,
  type Cancellation,
  type ConversionCommand,
  MARGIN_BASES,
  type Purchase,
} from '../attribution/index.js';

const id = fc.string({ minLength: 1, maxLength: 12, unit: anyCharacter }).map((text) => text.toWellFormed());
const minor = fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n });
const decimal = fc.constantFrom('1', '1.5', '0.333333', '9007199254740993', '-2');

const order = {
  idempotencyKey: id,
  orderId: id,
  occurredAt: fc.constantFrom('2026-01-31T09:30:00.000Z', '2026-01-31T09:30:00.123456Z'),
  currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
};

const purchaseLine = fc.record({
  lineId: id,
  sku: id,
  quantity: decimal,
  unitPrice: decimal,
  subtotal: minor,
  discount: minor,
  commissionableAmount: minor,
  itemCost: fc.option(decimal),
});

const purchase: fc.Arbitrary<Purchase> = fc.record({
  eventType: fc.constant('purchase' as const),
  ...order,
  revenue: minor,
  merchandise: minor,
  discount: minor,
  tax: minor,
  shipping: minor,
  commissionableSubtotal: minor,
  margin: fc.option(fc.record({ amount: minor, basis: fc.constantFrom(...MARGIN_BASES), source: id })),
  lines: fc.array(purchaseLine, { minLength: 1, maxLength: 4 }),
  touchIds: fc.uniqueArray(id, { maxLength: 3 }),
  experimentAssignmentIds: fc.uniqueArray(id, { maxLength: 3 }),
});

const adjustment: fc.Arbitrary<Adjustment> = fc.record({
  eventType: fc.constant('adjustment' as const),
  ...order,
  revenueDelta: minor,
  commissionableDelta: minor,
  taxDelta: minor,
  shippingDelta: minor,
  marginDelta: fc.option(minor),
  reason: fc.constantFrom(...ADJUSTMENT_REASONS),
  lines: fc.array(fc.record({ lineId: id, quantityDelta: decimal, subtotalDelta: minor }), { maxLength: 3 }),
});

const cancellation: fc.Arbitrary<Cancellation> = fc.record({
  eventType: fc.constant('cancellation' as const),
  ...order,
  reversedRevenue: minor,
  reason: fc.option(id),
});

/** Commands of every shape. Their amounts need not be consistent. */
export const anyCommand: fc.Arbitrary<ConversionCommand> = fc.oneof(purchase, adjustment, cancellation);
