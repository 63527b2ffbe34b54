import { type Decimal, formatDecimal, multiplyToMinor } from '@truetally/kernel';
import { isJsonObject } from '../validation/shape.js';
import { type AmountReader } from './amount-reader.js';
import { CONVERSION_LIMITS } from './conversion-body.js';
import { type PurchaseLine } from './conversion-command.js';

type Members = Readonly<Record<string, unknown>>;

/** The readable parts of a line. */
export interface ReadLine {
  readonly path: string;
  readonly lineId: unknown;
  readonly sku: unknown;
  readonly quantity: Decimal | undefined;
  readonly unitPrice: Decimal | undefined;
  readonly subtotal: bigint | undefined;
  readonly discount: bigint | undefined;
  readonly commissionableAmount: bigint | undefined;
  readonly hasItemCost: boolean;
  readonly itemCost: Decimal | undefined;
}

/** Undefined when the value is not a list of an accepted length; its items and sums are then not checked. */
export function linesIn(value: unknown, amounts: AmountReader): readonly ReadLine[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > CONVERSION_LIMITS.lines) return undefined;
  const lines = value.map((item: unknown, index) => readLine(item, `lines.${index}`, amounts));
  for (const line of lines) checkLine(line, amounts);
  checkUniqueIds(lines, amounts);
  return lines;
}

const NOTHING: Members = {};

function readLine(item: unknown, path: string, amounts: AmountReader): ReadLine {
  const { unitDecimals } = CONVERSION_LIMITS;
  const line = isJsonObject(item) ? item : NOTHING;
  return {
    path,
    lineId: line['line_id'],
    sku: line['sku'],
    quantity: amounts.finite(`${path}.quantity`, line['quantity'], 'positive', unitDecimals),
    unitPrice: amounts.price(`${path}.unit_price`, line['unit_price'], 'any', unitDecimals),
    subtotal: amounts.amount(`${path}.subtotal`, line['subtotal']),
    discount: amounts.amount(`${path}.discount`, line['discount'], 'not negative'),
    commissionableAmount: amounts.amount(
      `${path}.commissionable_amount`,
      line['commissionable_amount'],
      'not negative',
    ),
    hasItemCost: (line['item_cost'] ?? undefined) !== undefined,
    itemCost: amounts.price(`${path}.item_cost`, line['item_cost'], 'not negative', unitDecimals),
  };
}

/** Rule 1. */
function checkLine(line: ReadLine, amounts: AmountReader): void {
  const { path, subtotal, discount } = line;
  const product = productOf(line.quantity, line.unitPrice, amounts);
  amounts.mustEqual(`${path}.subtotal`, 'quantity × unit_price', product, subtotal);
  amounts.mustNotExceed(`${path}.discount`, 'subtotal', subtotal, discount);
  const net = subtotal === undefined || discount === undefined ? undefined : subtotal - discount;
  const commissionablePath = `${path}.commissionable_amount`;
  amounts.mustNotExceed(commissionablePath, 'subtotal − discount', net, line.commissionableAmount);
  amounts.mustFit(
    `${path}.item_cost`,
    'item_cost × quantity',
    productOf(line.itemCost, line.quantity, amounts),
  );
}

function checkUniqueIds(lines: readonly ReadLine[], amounts: AmountReader): void {
  const firstWith = new Map<string, number>();
  for (const [index, { path, lineId }] of lines.entries()) {
    if (typeof lineId !== 'string') continue;
    const first = firstWith.get(lineId);
    if (first === undefined) firstWith.set(lineId, index);
    else amounts.break(`${path}.line_id`, `must be unique; lines.${first} has the same`);
  }
}

export function productOf(
  a: Decimal | undefined,
  b: Decimal | undefined,
  { minorDigits }: AmountReader,
): bigint | undefined {
  if (a === undefined || b === undefined || minorDigits === undefined) return undefined;
  return multiplyToMinor(a, b, minorDigits);
}

/** Undefined when one of them is: a partial sum cannot be compared with anything. */
export function sum(
  lines: readonly ReadLine[] | undefined,
  valueOf: (line: ReadLine) => bigint | undefined,
): bigint | undefined {
  if (lines === undefined) return undefined;
  let total = 0n;
  for (const line of lines) {
    const value = valueOf(line);
    if (value === undefined) return undefined;
    total += value;
  }
  return total;
}

export function completeLine(line: ReadLine): PurchaseLine | undefined {
  const { lineId, sku, quantity, unitPrice, subtotal, discount, commissionableAmount, itemCost } = line;
  if (typeof lineId !== 'string' || typeof sku !== 'string') return undefined;
  if (quantity === undefined || unitPrice === undefined || subtotal === undefined) return undefined;
  if (discount === undefined || commissionableAmount === undefined) return undefined;
  return {
    lineId,
    sku,
    quantity: formatDecimal(quantity),
    unitPrice: formatDecimal(unitPrice),
    subtotal,
    discount,
    commissionableAmount,
    itemCost: itemCost === undefined ? null : formatDecimal(itemCost),
  };
}
