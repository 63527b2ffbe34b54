import { toStorableText } from '@truetally/kernel';
import { isJsonObject } from '../validation/shape.js';
import { type AmountReader } from './amount-reader.js';
import { type MarginBasis, type Purchase } from './conversion-command.js';
import { completeLine, productOf, type ReadLine, linesIn, sum } from './purchase-lines.js';

type Members = Readonly<Record<string, unknown>>;

/** The fields that only a purchase has; the others are common to all conversions. */
export type PurchaseContent = Pick<
  Purchase,
  | 'commissionableSubtotal'
  | 'discount'
  | 'experimentAssignmentIds'
  | 'lines'
  | 'margin'
  | 'merchandise'
  | 'revenue'
  | 'shipping'
  | 'tax'
  | 'touchIds'
>;

/**
 * The payload rules of a purchase (interface page, section 6, rules 1 to 3). Checks every rule whose fields
 * can be read, even when others are broken.
 * @returns undefined when a required field cannot be read; complete only when no rule is broken
 */
export function purchaseIn(body: Members, amounts: AmountReader): PurchaseContent | undefined {
  const lines = linesIn(body['lines'], amounts);
  const totals = {
    revenue: amounts.amount('revenue', body['revenue']),
    commissionableSubtotal: amounts.amount('commissionable_subtotal', body['commissionable_subtotal']),
    tax: amounts.amount('tax', body['tax'], 'not negative'),
    shipping: amounts.amount('shipping', body['shipping'], 'not negative'),
    discount: amounts.amount('discount', body['discount']),
    merchandise: sum(lines, (line) => line.subtotal),
  };
  checkTotals(totals, lines, amounts);
  const margin = readMargin(body['margin'], totals, lines, amounts);
  const { revenue, commissionableSubtotal, tax, shipping, discount, merchandise } = totals;
  if (revenue === undefined || commissionableSubtotal === undefined || discount === undefined)
    return undefined;
  if (tax === undefined || shipping === undefined || merchandise === undefined) return undefined;
  return {
    revenue,
    merchandise,
    discount,
    tax,
    shipping,
    commissionableSubtotal,
    margin: margin ?? null,
    lines: (lines ?? []).flatMap((line) => completeLine(line) ?? []),
    touchIds: distinctTexts(body['touch_ids']),
    experimentAssignmentIds: distinctTexts(body['experiment_assignment_ids']),
  };
}

type Maybe<T> = { readonly [Name in keyof T]: T[Name] | undefined };
type Totals = Maybe<
  Pick<Purchase, 'commissionableSubtotal' | 'discount' | 'merchandise' | 'revenue' | 'shipping' | 'tax'>
>;

/** Rule 2. */
function checkTotals(totals: Totals, lines: readonly ReadLine[] | undefined, amounts: AmountReader): void {
  const { merchandise, discount, tax, shipping } = totals;
  const lineDiscounts = sum(lines, (line) => line.discount);
  amounts.mustEqual('discount', 'the sum of the line discounts', lineDiscounts, discount);
  amounts.mustEqual(
    'commissionable_subtotal',
    'the sum of the commissionable amounts',
    sum(lines, (line) => line.commissionableAmount),
    totals.commissionableSubtotal,
  );
  if (merchandise === undefined || discount === undefined || tax === undefined || shipping === undefined)
    return;
  const revenue = merchandise - discount + tax + shipping;
  amounts.mustEqual(
    'revenue',
    'the sum of the subtotals − discount + tax + shipping',
    revenue,
    totals.revenue,
  );
}

/** Rule 3. */
function readMargin(
  value: unknown,
  totals: Totals,
  lines: readonly ReadLine[] | undefined,
  amounts: AmountReader,
): Purchase['margin'] | undefined {
  if (!isJsonObject(value)) return undefined;
  const amount = amounts.amount('margin.amount', value['amount']);
  const { basis, source } = value;
  if (basis === 'exact') {
    const cost = costOf(lines, amounts);
    const { merchandise, discount } = totals;
    const isKnown = merchandise !== undefined && discount !== undefined && cost !== undefined;
    amounts.mustEqual(
      'margin.amount',
      'the sum of the subtotals − discount − the sum of item_cost × quantity',
      isKnown ? merchandise - discount - cost : undefined,
      amount,
    );
  }
  if (amount === undefined || typeof source !== 'string' || !isMarginBasis(basis)) return undefined;
  return { amount, basis, source: toStorableText(source) };
}

function isMarginBasis(value: unknown): value is MarginBasis {
  return value === 'exact' || value === 'estimated';
}

function costOf(lines: readonly ReadLine[] | undefined, amounts: AmountReader): bigint | undefined {
  for (const { path, hasItemCost } of lines ?? []) {
    if (!hasItemCost) amounts.break(`${path}.item_cost`, 'is required when margin.basis is exact');
  }
  return sum(lines, (line) => productOf(line.itemCost, line.quantity, amounts));
}

/** In the order given, without repetitions. */
function distinctTexts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.filter((item): item is string => typeof item === 'string'))];
}
