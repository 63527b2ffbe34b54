import type { Adjustment, Purchase } from '@truetally/contracts/attribution';
import { formatMinor, minorDigitsOf, multiplyToMinor, parseDecimal } from '@truetally/kernel';

/** A purchase's lines as stored: JSON text, amounts as decimal strings. */
export function purchaseLines({ lines, currency }: Purchase): string {
  return JSON.stringify(
    lines.map((line) => ({
      line_id: line.lineId,
      sku: line.sku,
      quantity: line.quantity,
      unit_price: line.unitPrice,
      subtotal: formatMinor(line.subtotal, currency),
      discount: formatMinor(line.discount, currency),
      commissionable_amount: formatMinor(line.commissionableAmount, currency),
      item_cost: line.itemCost,
    })),
  );
}

export function adjustmentLines({ lines, currency }: Adjustment): string {
  return JSON.stringify(
    lines.map((line) => ({
      line_id: line.lineId,
      quantity_delta: line.quantityDelta,
      subtotal_delta: formatMinor(line.subtotalDelta, currency),
    })),
  );
}

/** The cost of the goods; null unless every line states it. */
export function costOf({ lines, currency }: Purchase): bigint | null {
  const digits = minorDigitsOf(currency);
  if (digits === undefined) return null;
  let total = 0n;
  for (const { itemCost, quantity } of lines) {
    const cost = parseDecimal(itemCost);
    const count = parseDecimal(quantity);
    if (cost === undefined || count === undefined) return null;
    total += multiplyToMinor(cost, count, digits);
  }
  return total;
}
