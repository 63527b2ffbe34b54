import { randomUUID } from 'node:crypto';
import type {
  Adjustment,
  AttributionSettings,
  Cancellation,
  ConversionCommand,
  Purchase,
  PurchaseLine,
} from '@truetally/contracts/attribution';
import { fingerprintHex } from '@truetally/kernel';
import type { GroupItem } from '../domain/decide-group.js';

let offset = 0;
const PARTITIONS = 6;

/** A line of one piece at the price of its subtotal, in EUR. */
export function aLine(given: Partial<PurchaseLine> = {}): PurchaseLine {
  return {
    lineId: 'line-1',
    sku: 'sku-1',
    quantity: '1',
    unitPrice: '100',
    subtotal: 10_000n,
    discount: 0n,
    commissionableAmount: 10_000n,
    itemCost: null,
    ...given,
  };
}

/** A purchase of 100.00 EUR, all of it commissionable. */
export function aPurchase(given: Partial<Purchase> = {}): Purchase {
  return {
    eventType: 'purchase',
    idempotencyKey: randomUUID(),
    orderId: randomUUID(),
    occurredAt: '2026-01-31T09:30:00.000Z',
    currency: 'EUR',
    revenue: 10_000n,
    merchandise: 10_000n,
    discount: 0n,
    tax: 0n,
    shipping: 0n,
    commissionableSubtotal: 10_000n,
    margin: null,
    lines: [aLine()],
    touchIds: [],
    experimentAssignmentIds: [],
    ...given,
  };
}

/** A return of 10.00 EUR a day later. */
export function anAdjustment(given: Partial<Adjustment> & { readonly orderId: string }): Adjustment {
  return {
    eventType: 'adjustment',
    idempotencyKey: randomUUID(),
    occurredAt: '2026-02-01T09:30:00.000Z',
    currency: 'EUR',
    revenueDelta: -1_000n,
    commissionableDelta: -1_000n,
    taxDelta: 0n,
    shippingDelta: 0n,
    marginDelta: null,
    reason: 'return',
    lines: [],
    ...given,
  };
}

export function aCancellation(given: Partial<Cancellation> & { readonly orderId: string }): Cancellation {
  return {
    eventType: 'cancellation',
    idempotencyKey: randomUUID(),
    occurredAt: '2026-03-01T09:30:00.000Z',
    currency: 'EUR',
    reversedRevenue: 10_000n,
    reason: null,
    ...given,
  };
}

/** The command as a message; the same message again is a redelivery. */
export function itemOf(
  siteId: string,
  command: ConversionCommand,
  settings: AttributionSettings | null = null,
): Extract<GroupItem, { kind: 'command' }> {
  offset += 1;
  const content = JSON.stringify(command, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const requestId = randomUUID();
  return {
    kind: 'command',
    request: { siteId, requestId, settings, fingerprint: fingerprintHex([content]), command },
    place: { partition: offset % PARTITIONS, offset: String(offset), requestId },
    correlationId: randomUUID(),
  };
}
