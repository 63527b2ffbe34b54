import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FieldErrors, formatMinor } from '@truetally/kernel';
import {
  accepted,
  type AgreeingPurchase,
  agreeingPurchase,
  anySpelling,
  AS_NUMBERS,
  EVERY_AMOUNT_AS_STRING,
  judge,
  productOf,
  purchaseText,
  totalsOf,
} from '../testing/purchases.js';

const MILLION = 1_000_000n;

const spellings = fc.array(anySpelling, { minLength: 1, maxLength: 9 });

describe('the payload rules of a purchase', () => {
  it('accept whatever agrees, in any currency and spelling, to the last minor unit', () => {
    fc.assert(
      fc.property(agreeingPurchase, spellings, (purchase, spelt) => {
        const command = accepted(purchaseText(purchase, spelt));
        const totals = totalsOf(purchase);
        expect(command.revenue).toBe(totals.revenue);
        expect(command.discount).toBe(totals.discount);
        expect(command.commissionableSubtotal).toBe(totals.commissionable_subtotal);
        expect(command.merchandise - command.discount + command.tax + command.shipping).toBe(command.revenue);
        expect(command.margin?.amount).toBe(purchase.hasExactMargin ? totals.margin : undefined);
        expect(command.lines.map(({ subtotal }) => subtotal)).toEqual(
          purchase.lines.map(({ subtotal }) => subtotal),
        );
      }),
    );
  });

  it('name exactly the amounts that do not agree, with both sides and the difference', () => {
    const change = fc.tuple(fc.nat(), fc.bigInt({ min: -500n, max: 500n }));
    fc.assert(
      fc.property(
        agreeingPurchase,
        fc.array(change, { maxLength: 8 }),
        spellings,
        (purchase, drawn, spelt) => {
          const paths = pathsOf(purchase);
          const changes = Object.fromEntries(drawn.map(([at, by]) => [paths[at % paths.length] ?? '', by]));
          const judged = judge(purchaseText(purchase, spelt, changes));
          const expected = expectedFaults(purchase, changes);
          expect(judged.ok ? {} : withoutSigns(judged.error)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  const twoLines = (currency: string): AgreeingPurchase => ({
    currency,
    lines: [2n, 3n].map((quantity) => {
      const price = 1_500n * MILLION;
      const subtotal = productOf(quantity * MILLION, price, currency);
      const half = subtotal / 2n;
      return {
        quantityMillionths: quantity * MILLION,
        priceMillionths: price,
        costMillionths: MILLION,
        subtotal,
        discount: half,
        commissionable: half,
      };
    }),
    tax: 235n,
    shipping: 390n,
    hasExactMargin: true,
  });
  const NET = ['revenue', 'margin.amount'];
  /** Each rule broken by one minor unit: the changed amounts, by how much, and the reported fields. */
  const BROKEN: readonly (readonly [
    rule: string,
    up: readonly string[],
    down: readonly string[],
    named: string,
  ])[] = [
    ['1: subtotal = quantity × unit_price', ['lines.0.subtotal', ...NET], [], 'lines.0.subtotal'],
    [
      '1: commissionable_amount ≤ subtotal − discount',
      ['lines.1.commissionable_amount', 'commissionable_subtotal'],
      [],
      'lines.1.commissionable_amount',
    ],
    ['2: discount = Σ line discounts', ['discount'], NET, 'discount'],
    [
      '2: commissionable_subtotal = Σ commissionable_amount',
      ['commissionable_subtotal'],
      [],
      'commissionable_subtotal',
    ],
    ['2: revenue = Σ subtotals − discount + tax + shipping', [], ['revenue'], 'revenue'],
    [
      '3: margin.amount = Σ subtotals − discount − Σ(item_cost × quantity)',
      ['margin.amount'],
      [],
      'margin.amount',
    ],
  ];

  describe.each(['JPY', 'EUR', 'KWD'])('in %s', (currency) => {
    describe.each([
      ['numbers', AS_NUMBERS],
      ['strings', EVERY_AMOUNT_AS_STRING],
    ] as const)('with amounts as %s', (_name, spelt) => {
      const purchase = twoLines(currency);

      it.each(BROKEN)('rule %s, alone', (_rule, up, down, named) => {
        const changes = Object.fromEntries([
          ...up.map((path) => [path, 1n] as const),
          ...down.map((path) => [path, -1n] as const),
        ]);
        const judged = judge(purchaseText(purchase, spelt, changes));
        const expected = expectedFaults(purchase, changes);
        expect(Object.keys(expected)).toEqual([`conversion.${named}`]);
        expect(judged.ok ? {} : withoutSigns(judged.error)).toEqual(expected);
      });

      it('all rules, together', () => {
        const everything = Object.fromEntries(
          pathsOf(purchase).map((path, index) => [path, BigInt(index) + 7n]),
        );
        const judged = judge(purchaseText(purchase, spelt, everything));
        const expected = expectedFaults(purchase, everything);
        expect(Object.keys(expected).length).toBe(8);
        expect(judged.ok ? {} : judged.error).toEqual(
          Object.fromEntries(
            Object.keys(expected).map((path) => [path, [expect.stringContaining(expected[path] ?? '')]]),
          ),
        );
      });

      it('none', () => {
        expect(accepted(purchaseText(purchase, spelt)).revenue).toBe(totalsOf(purchase).revenue);
      });
    });
  });

  it('refuse a line whose goods cost more than an amount can be, though nothing else of it does', () => {
    const judgeCost = (quantity: bigint) =>
      judge(
        purchaseText({
          currency: 'JPY',
          lines: [
            {
              ...{ quantityMillionths: quantity * MILLION, priceMillionths: 0n, costMillionths: MILLION },
              ...{ subtotal: 0n, discount: 0n, commissionable: 0n },
            },
          ],
          tax: 0n,
          shipping: 0n,
          hasExactMargin: true,
        }).replace('"exact"', '"estimated"'),
      );
    expect(judgeCost(2n ** 63n - 1n).ok).toBe(true);
    expect(judgeCost(2n ** 63n)).toEqual({
      ok: false,
      error: {
        'conversion.lines.0.item_cost': [
          'item_cost × quantity must be at most 9223372036854775807 in JPY, 2^63 - 1 minor units, and at least its negative',
        ],
        'conversion.margin.amount': [expect.stringContaining('must be at most')],
      },
    });
  });

  it('take 500 lines, and say which of them is a minor unit off', () => {
    const one = {
      quantityMillionths: 333_333n,
      priceMillionths: 9n * MILLION,
      costMillionths: 1n,
      subtotal: 300n,
      discount: 1n,
      commissionable: 299n,
    };
    const purchase: AgreeingPurchase = {
      currency: 'EUR',
      lines: Array<typeof one>(500).fill(one),
      tax: 0n,
      shipping: 0n,
      hasExactMargin: true,
    };
    expect(accepted(purchaseText(purchase)).lines.length).toBe(500);
    const judged = judge(
      purchaseText(purchase, undefined, { 'lines.499.subtotal': 1n, revenue: 1n, 'margin.amount': 1n }),
    );
    expect(judged).toEqual({
      ok: false,
      error: {
        'conversion.lines.499.subtotal': [
          'must equal quantity × unit_price: expected 3.00, got 3.01, difference 0.01',
        ],
      },
    });
  });
});

/** Every amount that a rule is about. */
function pathsOf({ lines, hasExactMargin }: AgreeingPurchase): readonly string[] {
  const ofLines = lines.flatMap((_, index) =>
    ['subtotal', 'discount', 'commissionable_amount'].map((name) => `lines.${index}.${name}`),
  );
  return [
    'revenue',
    'discount',
    'commissionable_subtotal',
    ...ofLines,
    ...(hasExactMargin ? ['margin.amount'] : []),
  ];
}

/** An independent, literal implementation of rules 1 to 3: paths to the two sides that differ. */
function expectedFaults(
  purchase: AgreeingPurchase,
  changes: Readonly<Record<string, bigint>>,
): Readonly<Record<string, string>> {
  const { currency } = purchase;
  const given = (path: string, minor: bigint): bigint => minor + (changes[path] ?? 0n);
  const faults: Record<string, string> = {};
  const say = (path: string, words: string, expected: bigint, got: bigint): void => {
    const [one, other, difference] = [expected, got, got - expected].map((minor) =>
      formatMinor(minor, currency),
    );
    faults[`conversion.${path}`] =
      `${words} ${String(one)}, got ${String(other)}, difference ${String(difference)}`;
  };
  const equal = (path: string, expected: bigint, got: bigint): void => {
    if (expected !== got) say(path, 'expected', expected, got);
  };
  const atMost = (path: string, most: bigint, got: bigint): void => {
    if (got > most) say(path, 'expected at most', most, got);
  };
  const sums = { subtotal: 0n, discount: 0n, commissionable: 0n, cost: 0n };
  for (const [index, line] of purchase.lines.entries()) {
    const subtotal = given(`lines.${index}.subtotal`, line.subtotal);
    const discount = given(`lines.${index}.discount`, line.discount);
    const commissionable = given(`lines.${index}.commissionable_amount`, line.commissionable);
    equal(
      `lines.${index}.subtotal`,
      productOf(line.quantityMillionths, line.priceMillionths, currency),
      subtotal,
    );
    atMost(`lines.${index}.discount`, subtotal, discount);
    atMost(`lines.${index}.commissionable_amount`, subtotal - discount, commissionable);
    sums.subtotal += subtotal;
    sums.discount += discount;
    sums.commissionable += commissionable;
    sums.cost += productOf(line.costMillionths, line.quantityMillionths, currency);
  }
  const totals = totalsOf(purchase);
  const discount = given('discount', totals.discount);
  equal('discount', sums.discount, discount);
  const commissionable = given('commissionable_subtotal', totals.commissionable_subtotal);
  equal('commissionable_subtotal', sums.commissionable, commissionable);
  const revenue = sums.subtotal - discount + purchase.tax + purchase.shipping;
  equal('revenue', revenue, given('revenue', totals.revenue));
  if (purchase.hasExactMargin) {
    equal('margin.amount', sums.subtotal - discount - sums.cost, given('margin.amount', totals.margin));
  }
  return faults;
}

/** Each field's one message from "expected" on; sign rules are not checked here. */
function withoutSigns(details: FieldErrors): Readonly<Record<string, string>> {
  const found = Object.entries(details).flatMap(([path, messages]) =>
    messages
      .filter((message) => !message.startsWith('must be at least 0'))
      .map((message) => [path, message.slice(message.indexOf('expected'))] as const),
  );
  return Object.fromEntries(found);
}
