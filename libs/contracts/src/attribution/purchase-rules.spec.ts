import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FieldErrors, formatMinor, readJson, type Result } from '@truetally/kernel';
import { type ConversionCommand, fingerprintOf, type Purchase, readConversion } from '../index.js';
import {
  type AgreeingPurchase,
  agreeingPurchase,
  anySpelling,
  productOf,
  purchaseText,
  totalsOf,
} from './purchases.fixture.js';

const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z');
const MILLION = 1_000_000n;

function judge(text: string): Result<ConversionCommand, FieldErrors> {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(`${reading.error.message}: ${text}`);
  return readConversion(reading.value.value, NOW_MS);
}

function accepted(text: string): Purchase {
  const judged = judge(text);
  if (!judged.ok) throw new Error(JSON.stringify(judged.error));
  if (judged.value.eventType !== 'purchase') throw new Error('Not a purchase.');
  return judged.value;
}

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

/** Rules 1 to 3 once more, as plainly as they stand on the interface page: paths to the two sides that differ. */
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

/** Each field's one message from "expected" on; what is below zero is another rule, and not looked at here. */
function withoutSigns(details: FieldErrors): Readonly<Record<string, string>> {
  const found = Object.entries(details).flatMap(([path, messages]) =>
    messages
      .filter((message) => !message.startsWith('must be at least 0'))
      .map((message) => [path, message.slice(message.indexOf('expected'))] as const),
  );
  return Object.fromEntries(found);
}

describe('the fingerprint of a payload', () => {
  it('is the same for every spelling of numbers and of time', () => {
    const times = fc.constantFrom(
      '2026-01-31T09:30:00.000Z',
      '2026-01-31T10:30:00+01:00',
      '2026-01-31T09:30Z',
    );
    fc.assert(
      fc.property(agreeingPurchase, spellings, spellings, times, (purchase, one, other, time) => {
        const fingerprint = fingerprintOf(accepted(purchaseText(purchase, one)));
        expect(fingerprintOf(accepted(purchaseText(purchase, other, {}, time)))).toBe(fingerprint);
        expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  it('is the same for every order of fields, and whatever is ignored', () => {
    fc.assert(
      fc.property(agreeingPurchase, fc.infiniteStream(fc.nat()), (purchase, noise) => {
        const body: unknown = JSON.parse(purchaseText(purchase));
        const shuffled = JSON.stringify(shuffle(body, noise));
        expect(fingerprintOf(accepted(shuffled))).toBe(fingerprintOf(accepted(JSON.stringify(body))));
      }),
    );
  });

  it('is another one when anything that is kept changes', () => {
    const { value } = { value: fc.sample(agreeingPurchase, { numRuns: 1, seed: 7 })[0] };
    if (value === undefined) throw new Error('Nothing was drawn.');
    const command = accepted(purchaseText({ ...value, hasExactMargin: true }));
    const [first, ...rest] = command.lines;
    if (first === undefined || command.margin === null)
      throw new Error('A purchase has a line, this one a margin.');
    const line = (change: Partial<typeof first>) => ({ lines: [{ ...first, ...change }, ...rest] });
    const others: readonly Partial<Purchase>[] = [
      { idempotencyKey: 'k2' },
      { orderId: 'o2' },
      { occurredAt: '2026-01-31T09:30:00.000001Z' },
      { currency: 'USD' },
      { revenue: command.revenue + 1n },
      { commissionableSubtotal: command.commissionableSubtotal + 1n },
      { tax: command.shipping, shipping: command.tax + 1n },
      { discount: command.discount + 1n },
      { margin: null },
      { margin: { ...command.margin, amount: command.margin.amount + 1n } },
      { margin: { ...command.margin, basis: 'estimated' } },
      { margin: { ...command.margin, source: 'pim' } },
      line({ lineId: 'other' }),
      line({ sku: 'other' }),
      line({ quantity: `${first.quantity}1` }),
      line({ unitPrice: `${first.unitPrice}1` }),
      line({ subtotal: first.subtotal + 1n }),
      line({ discount: first.discount + 1n }),
      line({ commissionableAmount: first.commissionableAmount + 1n }),
      line({ itemCost: null }),
      { touchIds: ['a', 'b'] },
      { touchIds: ['ab'] },
      { touchIds: ['a'], experimentAssignmentIds: ['b'] },
      { experimentAssignmentIds: ['a', 'b'] },
    ];
    const fingerprints = [command, ...others.map((change) => ({ ...command, ...change }))].map(fingerprintOf);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
  });
});

/** The same value with the members of its objects in another order, and unknown ones among them. */
function shuffle(value: unknown, noise: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffle(item, noise));
  if (typeof value !== 'object' || value === null) return value;
  const members: readonly (readonly [string, unknown])[] = [
    ...Object.entries(value),
    ['unknown', Number(noise.next().value)],
  ];
  return Object.fromEntries(
    members
      .map((member) => ({ member, rank: Number(noise.next().value) }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ member: [name, inner] }) => [name, shuffle(inner, noise)]),
  );
}
