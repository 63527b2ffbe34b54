import { fingerprintHex, unreachable } from '@truetally/kernel';
import { type Adjustment, type ConversionCommand, type Purchase } from './conversion-command.js';

/**
 * Prefix of the content. A new encoding gets a new version, so that two encodings never produce the same
 * text.
 */
const FORMAT = 'conversion/1';

/**
 * Fingerprint by which a repeated idempotency key is compared: the whole content of the command in one fixed
 * order. Field order, spellings of numbers and times, and ignored fields do not affect it.
 * @returns SHA-256 as 64 hexadecimal digits
 */
export function fingerprintOf(command: ConversionCommand): string {
  const { eventType, idempotencyKey, orderId, occurredAt, currency } = command;
  const order = [FORMAT, eventType, idempotencyKey, orderId, occurredAt, currency];
  return fingerprintHex([...order, ...contentOf(command)]);
}

type Fields = readonly (string | null)[];

function contentOf(command: ConversionCommand): Fields {
  switch (command.eventType) {
    case 'purchase':
      return purchaseContent(command);
    case 'adjustment':
      return adjustmentContent(command);
    case 'cancellation':
      return [String(command.reversedRevenue), command.reason];
    default:
      return unreachable(command);
  }
}

/** `merchandise` is derived from the lines, and left out. */
function purchaseContent(purchase: Purchase): Fields {
  const { margin, lines, touchIds, experimentAssignmentIds } = purchase;
  return [
    String(purchase.revenue),
    String(purchase.commissionableSubtotal),
    String(purchase.tax),
    String(purchase.shipping),
    String(purchase.discount),
    ...(margin === null ? [null] : [String(margin.amount), margin.basis, margin.source]),
    // Each list starts with its length, so that an item cannot be mistaken for one of the next list.
    String(lines.length),
    ...lines.flatMap((line) => [
      line.lineId,
      line.sku,
      line.quantity,
      line.unitPrice,
      String(line.subtotal),
      String(line.discount),
      String(line.commissionableAmount),
      line.itemCost,
    ]),
    String(touchIds.length),
    ...touchIds,
    String(experimentAssignmentIds.length),
    ...experimentAssignmentIds,
  ];
}

function adjustmentContent(adjustment: Adjustment): Fields {
  const { marginDelta, lines } = adjustment;
  return [
    String(adjustment.revenueDelta),
    String(adjustment.commissionableDelta),
    String(adjustment.taxDelta),
    String(adjustment.shippingDelta),
    marginDelta === null ? null : String(marginDelta),
    adjustment.reason,
    String(lines.length),
    ...lines.flatMap((line) => [line.lineId, line.quantityDelta, String(line.subtotalDelta)]),
  ];
}
