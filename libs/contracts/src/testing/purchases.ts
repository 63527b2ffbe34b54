import fc from 'fast-check';
import {
  type FieldErrors,
  formatDecimal,
  formatMinor,
  minorDigitsOf,
  readJson,
  type Result,
  roundHalfEven,
} from '@truetally/kernel';
import { type ConversionCommand, type Purchase, readConversion } from '../attribution/index.js';

/**
 * A purchase with consistent amounts, before it is written as text: minor units of its currency, prices in
 * millionths.
 */
export interface AgreeingPurchase {
  readonly currency: string;
  readonly lines: readonly {
    readonly quantityMillionths: bigint;
    readonly priceMillionths: bigint;
    readonly costMillionths: bigint;
    readonly subtotal: bigint;
    readonly discount: bigint;
    readonly commissionable: bigint;
  }[];
  readonly tax: bigint;
  readonly shipping: bigint;
  readonly hasExactMargin: boolean;
}

const MILLION = 1_000_000n;
const MAX_LINES = 6;

/** Rounds quantity × price as the interface page defines it, with an independent implementation. */
export function productOf(quantityMillionths: bigint, priceMillionths: bigint, currency: string): bigint {
  const scale = 10n ** BigInt(minorDigitsOf(currency) ?? 0);
  return roundHalfEven(quantityMillionths * priceMillionths * scale, MILLION * MILLION);
}

const currency = fc.constantFrom('JPY', 'EUR', 'KWD', 'CLF');
const line = fc.record({
  quantityMillionths: fc.oneof(
    fc.bigInt({ min: 1n, max: 20n }).map((units) => units * MILLION),
    fc.bigInt({ min: 1n, max: 5n * MILLION }),
  ),
  priceMillionths: fc.oneof(
    fc.bigInt({ min: 0n, max: 100_000n }).map((hundredths) => hundredths * 10_000n),
    fc.bigInt({ min: 0n, max: 10n ** 16n }),
  ),
  costMillionths: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  discountPercent: fc.bigInt({ min: 0n, max: 100n }),
  commissionablePercent: fc.bigInt({ min: 0n, max: 100n }),
});

export const agreeingPurchase: fc.Arbitrary<AgreeingPurchase> = fc
  .record({
    currency,
    lines: fc.array(line, { minLength: 1, maxLength: MAX_LINES }),
    tax: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    shipping: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    hasExactMargin: fc.boolean(),
  })
  .map((drawn) => ({
    ...drawn,
    lines: drawn.lines.map((one) => {
      const subtotal = productOf(one.quantityMillionths, one.priceMillionths, drawn.currency);
      const discount = (subtotal * one.discountPercent) / 100n;
      return {
        ...one,
        subtotal,
        discount,
        commissionable: ((subtotal - discount) * one.commissionablePercent) / 100n,
      };
    }),
  }));

/** How an amount is written: as a number or a string, with zeros behind it or an exponent. */
export type Spelling = (plain: string) => string;

const asNumber: Spelling = (plain) => plain;
const asString: Spelling = (plain) => `"${plain}"`;
const withZeros: Spelling = (plain) => `${plain}${plain.includes('.') ? '' : '.'}00`;
const withExponent: Spelling = (plain) => {
  const [whole = '', fraction = ''] = plain.split('.');
  return `${`${whole}${fraction}`.replace(/^(-?)0+(?=\d)/, '$1')}e-${fraction.length}`;
};
export const anySpelling: fc.Arbitrary<Spelling> = fc.constantFrom(
  asNumber,
  asString,
  withZeros,
  withExponent,
);

export const EVERY_AMOUNT_AS_STRING: readonly Spelling[] = [asString];
export const AS_NUMBERS: readonly Spelling[] = [asNumber];

/** The totals that match the lines. */
export function totalsOf({ lines, tax, shipping, currency: code }: AgreeingPurchase) {
  const sum = (values: readonly bigint[]): bigint => values.reduce((left, right) => left + right, 0n);
  const subtotals = sum(lines.map(({ subtotal }) => subtotal));
  const discount = sum(lines.map((one) => one.discount));
  const cost = sum(lines.map((one) => productOf(one.costMillionths, one.quantityMillionths, code)));
  return {
    discount,
    commissionable_subtotal: sum(lines.map(({ commissionable }) => commissionable)),
    revenue: subtotals - discount + tax + shipping,
    margin: subtotals - discount - cost,
  };
}

/**
 * The body's text. Spellings are used in turn; `changes` alters the amount at its path first (in minor
 * units).
 */
export function purchaseText(
  purchase: AgreeingPurchase,
  spellings: readonly Spelling[] = EVERY_AMOUNT_AS_STRING,
  changes: Readonly<Record<string, bigint>> = {},
  occurredAt = '2026-01-31T09:30:00Z',
): string {
  let turn = 0;
  const spell = (plain: string): string => (spellings[turn++ % spellings.length] ?? asString)(plain);
  const amount = (path: string, minor: bigint): string =>
    spell(formatMinor(minor + (changes[path] ?? 0n), purchase.currency));
  const millionths = (units: bigint): string => spell(formatDecimal({ units, scale: 6 }));
  const totals = totalsOf(purchase);
  const lines = purchase.lines.map(
    (one, index) => `{
    "line_id": "line-${index}", "sku": "sku", "quantity": ${millionths(one.quantityMillionths)},
    "unit_price": ${millionths(one.priceMillionths)},
    "subtotal": ${amount(`lines.${index}.subtotal`, one.subtotal)},
    "discount": ${amount(`lines.${index}.discount`, one.discount)},
    "commissionable_amount": ${amount(`lines.${index}.commissionable_amount`, one.commissionable)}
    ${purchase.hasExactMargin ? `, "item_cost": ${millionths(one.costMillionths)}` : ''} }`,
  );
  const margin = `, "margin": { "basis": "exact", "source": "erp", "amount": ${amount('margin.amount', totals.margin)} }`;
  return `{ "event_type": "purchase", "conversion": { "schema_version": 1, "idempotency_key": "k",
    "website_id": "w", "order_id": "o", "occurred_at": "${occurredAt}", "currency": "${purchase.currency}",
    "revenue": ${amount('revenue', totals.revenue)}, "tax": ${amount('tax', purchase.tax)},
    "commissionable_subtotal": ${amount('commissionable_subtotal', totals.commissionable_subtotal)},
    "shipping": ${amount('shipping', purchase.shipping)}, "discount": ${amount('discount', totals.discount)},
    "lines": [${lines.join()}] ${purchase.hasExactMargin ? margin : ''} } }`;
}

const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');
/** The result for a body's text, long after its time. */
export function judge(text: string): Result<ConversionCommand, FieldErrors> {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(`${reading.error.message}: ${text}`);
  return readConversion(reading.value.value, NOW_MS);
}

export function accepted(text: string): Purchase {
  const judged = judge(text);
  if (!judged.ok) throw new Error(JSON.stringify(judged.error));
  if (judged.value.eventType !== 'purchase') throw new Error('Not a purchase.');
  return judged.value;
}
