import { formatDecimal, toStorableText } from '@truetally/kernel';
import { isJsonObject } from '../validation/shape.js';
import { type AmountReader } from './amount-reader.js';
import { CONVERSION_LIMITS } from './conversion-body.js';
import {
  ADJUSTMENT_REASONS,
  type Adjustment,
  type AdjustmentLine,
  type Cancellation,
} from './conversion-command.js';

type Members = Readonly<Record<string, unknown>>;

export type AdjustmentContent = Pick<
  Adjustment,
  'commissionableDelta' | 'lines' | 'marginDelta' | 'reason' | 'revenueDelta' | 'shippingDelta' | 'taxDelta'
>;

/**
 * Checks an adjustment on its own (interface page, section 6). `revenue_delta` need not equal the sum of its
 * parts. An absent tax or shipping delta is zero; an absent margin delta means that the margin is unknown.
 * @returns undefined when a required field cannot be read; complete only when no rule is broken
 */
export function adjustmentIn(body: Members, amounts: AmountReader): AdjustmentContent | undefined {
  const revenueDelta = amounts.amount('revenue_delta', body['revenue_delta']);
  const commissionableDelta = amounts.amount('commissionable_delta', body['commissionable_delta']);
  const taxDelta = amounts.amount('tax_delta', body['tax_delta'] ?? 0);
  const shippingDelta = amounts.amount('shipping_delta', body['shipping_delta'] ?? 0);
  const marginDelta = amounts.amount('margin_delta', body['margin_delta']) ?? null;
  const lines = linesIn(body['lines'], amounts);
  const reason = ADJUSTMENT_REASONS.find((known) => known === body['reason']);
  if (revenueDelta === undefined || commissionableDelta === undefined || reason === undefined)
    return undefined;
  if (taxDelta === undefined || shippingDelta === undefined) return undefined;
  return { revenueDelta, commissionableDelta, taxDelta, shippingDelta, marginDelta, reason, lines };
}

/**
 * Checks a cancellation on its own. Only the ledger knows whether the amount equals what remains of the
 * order.
 */
export function cancellationIn(
  body: Members,
  amounts: AmountReader,
): Pick<Cancellation, 'reason' | 'reversedRevenue'> | undefined {
  const reversedRevenue = amounts.amount('reversed_revenue', body['reversed_revenue']);
  const { reason } = body;
  if (reversedRevenue === undefined) return undefined;
  return { reversedRevenue, reason: typeof reason === 'string' ? toStorableText(reason) : null };
}

function linesIn(value: unknown, amounts: AmountReader): readonly AdjustmentLine[] {
  if (!Array.isArray(value) || value.length > CONVERSION_LIMITS.lines) return [];
  return value.flatMap((item: unknown, index) => readLine(item, `lines.${index}`, amounts) ?? []);
}

function readLine(item: unknown, path: string, amounts: AmountReader): AdjustmentLine | undefined {
  if (!isJsonObject(item)) return undefined;
  const { line_id: lineId, quantity_delta, subtotal_delta } = item;
  const { unitDecimals } = CONVERSION_LIMITS;
  const quantityDelta = amounts.finite(`${path}.quantity_delta`, quantity_delta, 'any', unitDecimals);
  const subtotalDelta = amounts.amount(`${path}.subtotal_delta`, subtotal_delta);
  if (typeof lineId !== 'string' || quantityDelta === undefined || subtotalDelta === undefined)
    return undefined;
  return { lineId, quantityDelta: formatDecimal(quantityDelta), subtotalDelta };
}
