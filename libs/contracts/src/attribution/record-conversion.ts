import { fail, type Result, succeed, unreachable } from '@truetally/kernel';
import { recordCodec } from '../facts/record-codec.js';
import { isAmount, RecordReader } from '../facts/record-reader.js';
import { ATTRIBUTION_MODELS } from '../facts/site-record.js';
import {
  ADJUSTMENT_REASONS,
  type Adjustment,
  type AdjustmentLine,
  type AttributionSettings,
  type Cancellation,
  type ConversionAccepted,
  type ConversionCommand,
  MARGIN_BASES,
  ORDER_STATES,
  type Purchase,
  type PurchaseLine,
  type RecordConversion,
} from './conversion-command.js';

/**
 * The message on `attribution-ledger.record-conversion`: one JSON object, amounts as decimal strings of minor
 * units. Lines are arrays to save space: there are up to 500 of them.
 */
export function encodeRecordConversion({
  siteId,
  requestId,
  settings,
  fingerprint,
  command,
}: RecordConversion): string {
  return JSON.stringify({
    site_id: siteId,
    request_id: requestId,
    settings: settings === null ? null : settingsContent(settings),
    fingerprint,
    event_type: command.eventType,
    idempotency_key: command.idempotencyKey,
    order_id: command.orderId,
    occurred_at: command.occurredAt,
    currency: command.currency,
    ...contentOf(command),
  });
}

function settingsContent({ model, lookbackDays, incarnation, version }: AttributionSettings): object {
  return { attribution_model: model, lookback_days: lookbackDays, incarnation, version };
}

function contentOf(command: ConversionCommand): object {
  switch (command.eventType) {
    case 'purchase':
      return purchaseContent(command);
    case 'adjustment':
      return {
        revenue_delta: String(command.revenueDelta),
        commissionable_delta: String(command.commissionableDelta),
        tax_delta: String(command.taxDelta),
        shipping_delta: String(command.shippingDelta),
        margin_delta: command.marginDelta === null ? null : String(command.marginDelta),
        reason: command.reason,
        lines: command.lines.map((line) => [line.lineId, line.quantityDelta, String(line.subtotalDelta)]),
      };
    case 'cancellation':
      return { reversed_revenue: String(command.reversedRevenue), reason: command.reason };
    default:
      return unreachable(command);
  }
}

function purchaseContent(purchase: Purchase): object {
  const { margin } = purchase;
  return {
    revenue: String(purchase.revenue),
    merchandise: String(purchase.merchandise),
    discount: String(purchase.discount),
    tax: String(purchase.tax),
    shipping: String(purchase.shipping),
    commissionable_subtotal: String(purchase.commissionableSubtotal),
    margin: margin === null ? null : { ...margin, amount: String(margin.amount) },
    lines: purchase.lines.map((line) => [
      line.lineId,
      line.sku,
      line.quantity,
      line.unitPrice,
      String(line.subtotal),
      String(line.discount),
      String(line.commissionableAmount),
      line.itemCost,
    ]),
    touch_ids: purchase.touchIds,
    experiment_assignment_ids: purchase.experimentAssignmentIds,
  };
}

/** Reads the message; never throws. The error names fields, never their values. */
export function decodeRecordConversion(message: string): Result<RecordConversion, string> {
  const reader = RecordReader.of(message);
  if (reader === undefined) return fail('not a JSON object');
  const inner = reader.objectOrNull('margin');
  const settings = reader.objectOrNull('settings');
  const command = readCommand(reader, inner);
  const request = {
    siteId: reader.text('site_id'),
    requestId: reader.text('request_id'),
    settings: settings === null ? null : readSettings(settings),
    fingerprint: reader.text('fingerprint'),
  };
  const { faults } = reader;
  if (faults.length > 0 || command === undefined) return fail(`unreadable: ${faults.join(', ')}`);
  return succeed({ ...request, command });
}

function readSettings(reader: RecordReader): AttributionSettings {
  return {
    model: reader.oneOf('attribution_model', ATTRIBUTION_MODELS) ?? 'linear',
    lookbackDays: reader.integerOrNull('lookback_days'),
    incarnation: reader.integer('incarnation'),
    version: reader.integer('version'),
  };
}

const EVENT_TYPES = ['purchase', 'adjustment', 'cancellation'] as const;

function readCommand(reader: RecordReader, margin: RecordReader | null): ConversionCommand | undefined {
  const eventType = reader.oneOf('event_type', EVENT_TYPES);
  switch (eventType) {
    case 'purchase':
      return readPurchase(reader, margin);
    case 'adjustment':
      return readAdjustment(reader);
    case 'cancellation':
      return readCancellation(reader);
    case undefined:
      return undefined;
    default:
      return unreachable(eventType);
  }
}

function readOrder(reader: RecordReader) {
  return {
    idempotencyKey: reader.text('idempotency_key'),
    orderId: reader.text('order_id'),
    occurredAt: reader.text('occurred_at'),
    currency: reader.text('currency'),
  };
}

function readPurchase(reader: RecordReader, margin: RecordReader | null): Purchase {
  return {
    eventType: 'purchase',
    ...readOrder(reader),
    revenue: reader.amount('revenue'),
    merchandise: reader.amount('merchandise'),
    discount: reader.amount('discount'),
    tax: reader.amount('tax'),
    shipping: reader.amount('shipping'),
    commissionableSubtotal: reader.amount('commissionable_subtotal'),
    margin: margin === null ? null : readMargin(margin),
    lines: reader.list('lines', readLine),
    touchIds: reader.texts('touch_ids'),
    experimentAssignmentIds: reader.texts('experiment_assignment_ids'),
  };
}

function readMargin(reader: RecordReader): Purchase['margin'] {
  const basis = reader.oneOf('basis', MARGIN_BASES) ?? 'estimated';
  return { amount: reader.amount('amount'), basis, source: reader.text('source') };
}

function readLine(row: unknown): PurchaseLine | undefined {
  if (!Array.isArray(row)) return undefined;
  const [lineId, sku, quantity, unitPrice] = row as readonly unknown[];
  const [subtotal, discount, commissionableAmount, itemCost] = (row as readonly unknown[]).slice(4);
  if (typeof lineId !== 'string' || typeof sku !== 'string') return undefined;
  if (typeof quantity !== 'string' || typeof unitPrice !== 'string') return undefined;
  if (!isAmount(subtotal) || !isAmount(discount) || !isAmount(commissionableAmount)) return undefined;
  if (itemCost !== null && typeof itemCost !== 'string') return undefined;
  return {
    lineId,
    sku,
    quantity,
    unitPrice,
    subtotal: BigInt(subtotal),
    discount: BigInt(discount),
    commissionableAmount: BigInt(commissionableAmount),
    itemCost,
  };
}

function readAdjustment(reader: RecordReader): Adjustment {
  return {
    eventType: 'adjustment',
    ...readOrder(reader),
    revenueDelta: reader.amount('revenue_delta'),
    commissionableDelta: reader.amount('commissionable_delta'),
    taxDelta: reader.amount('tax_delta'),
    shippingDelta: reader.amount('shipping_delta'),
    marginDelta: reader.amountOrNull('margin_delta'),
    reason: reader.oneOf('reason', ADJUSTMENT_REASONS) ?? 'other',
    lines: reader.list('lines', readAdjustmentLine),
  };
}

function readAdjustmentLine(row: unknown): AdjustmentLine | undefined {
  if (!Array.isArray(row)) return undefined;
  const [lineId, quantityDelta, subtotalDelta] = row as readonly unknown[];
  if (typeof lineId !== 'string' || typeof quantityDelta !== 'string' || !isAmount(subtotalDelta)) {
    return undefined;
  }
  return { lineId, quantityDelta, subtotalDelta: BigInt(subtotalDelta) };
}

function readCancellation(reader: RecordReader): Cancellation {
  return {
    eventType: 'cancellation',
    ...readOrder(reader),
    reversedRevenue: reader.amount('reversed_revenue'),
    reason: reader.textOrNull('reason'),
  };
}

/** The content of `ok` in a `RecordConversionReply`: only the documented fields reach a client. */
export const CONVERSION_ACCEPTED = recordCodec((reader): ConversionAccepted => {
  const eventType = reader.oneOf('event_type', EVENT_TYPES) ?? 'purchase';
  return {
    authoritative: true,
    deduplicated: reader.flag('deduplicated'),
    record_id: reader.text('record_id'),
    conversion_id: reader.text('conversion_id'),
    order_id: reader.text('order_id'),
    event_type: eventType,
    state: reader.oneOf('state', Object.values(ORDER_STATES)) ?? ORDER_STATES[eventType],
    currency: reader.text('currency'),
    remaining_revenue: reader.text('remaining_revenue'),
    remaining_commissionable: reader.text('remaining_commissionable'),
    recorded_at: reader.text('recorded_at'),
    unmatched_touch_ids: reader.texts('unmatched_touch_ids'),
  };
});
