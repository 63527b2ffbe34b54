import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ConversionCommand,
  decodeRecordConversion,
  encodeRecordConversion,
  fingerprintOf,
  type Purchase,
} from './index.js';
import { anyCommand } from '../testing/attribution-commands.js';
import { accepted, agreeingPurchase, anySpelling, purchaseText } from '../testing/purchases.js';

/** The content of a command, without the sum that only repeats its lines. */
function contentOf(command: ConversionCommand): string {
  const text = encodeRecordConversion({
    siteId: '',
    requestId: '',
    settings: null,
    fingerprint: '',
    command,
  });
  return JSON.stringify({ ...(JSON.parse(text) as object), merchandise: null });
}

describe('the fingerprint of a command', () => {
  it('the fingerprint of a command is equal exactly if the ledger would record the same', () => {
    fc.assert(
      fc.property(anyCommand, anyCommand, (one, other) => {
        const isSame = contentOf(one) === contentOf(other);
        expect(fingerprintOf(one) === fingerprintOf(other)).toBe(isSame);
      }),
    );
  });

  it('the fingerprint of a command is another one when any one thing of it is another', () => {
    fc.assert(
      fc.property(anyCommand, fc.nat(), (command, at) => {
        const changed = changeOne(command, at);
        fc.pre(changed !== undefined && contentOf(changed) !== contentOf(command));
        expect(fingerprintOf(changed ?? command)).not.toBe(fingerprintOf(command));
      }),
      { numRuns: 1000 },
    );
  });

  it('survives the way to the ledger', () => {
    fc.assert(
      fc.property(anyCommand, (command) => {
        const message = encodeRecordConversion({
          siteId: 's',
          requestId: 'r',
          settings: null,
          fingerprint: 'f',
          command,
        });
        const decoded = decodeRecordConversion(message);
        expect(decoded.ok && fingerprintOf(decoded.value.command)).toBe(fingerprintOf(command));
      }),
    );
  });

  it('distinguishes adjacent fields and lists, wherever their texts are split', () => {
    const cancellation: ConversionCommand = {
      eventType: 'cancellation',
      idempotencyKey: 'ab',
      orderId: 'c',
      occurredAt: '2026-01-31T09:30:00.000Z',
      currency: 'EUR',
      reversedRevenue: 1n,
      reason: null,
    };
    const others = [
      { idempotencyKey: 'a', orderId: 'bc' },
      { reason: '' },
      { reason: '1' },
      { reversedRevenue: 11n },
      { reversedRevenue: -1n },
    ];
    const all = [cancellation, ...others.map((change) => ({ ...cancellation, ...change }))].map(
      fingerprintOf,
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

/** The command with one of its texts, amounts or lists changed, counted through all of its levels. */
function changeOne(command: ConversionCommand, at: number): ConversionCommand | undefined {
  const copy = structuredClone(command);
  const places: (() => void)[] = [];
  const collect = (holder: Record<string, unknown>): void => {
    for (const [name, value] of Object.entries(holder)) {
      if (['eventType', 'merchandise', 'basis'].includes(name)) continue;
      if (typeof value === 'string' && name !== 'reason') places.push(() => (holder[name] = `${value}x`));
      if (typeof value === 'bigint') places.push(() => (holder[name] = value + 1n));
      if (Array.isArray(value)) places.push(() => void value.pop());
      if (typeof value === 'object' && value !== null) collect(value as Record<string, unknown>);
    }
  };
  collect(copy as unknown as Record<string, unknown>);
  places[at % places.length]?.();
  return copy;
}

const spellings = fc.array(anySpelling, { minLength: 1, maxLength: 9 });

describe('the fingerprint of a payload', () => {
  it('the fingerprint of a payload is the same for every spelling of numbers and of time', () => {
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

  it('the fingerprint of a payload is the same for every order of fields, and whatever is ignored', () => {
    fc.assert(
      fc.property(agreeingPurchase, fc.infiniteStream(fc.nat()), (purchase, noise) => {
        const body: unknown = JSON.parse(purchaseText(purchase));
        const shuffled = JSON.stringify(shuffle(body, noise));
        expect(fingerprintOf(accepted(shuffled))).toBe(fingerprintOf(accepted(JSON.stringify(body))));
      }),
    );
  });

  it('the fingerprint of a payload is another one when anything that is kept changes', () => {
    const [value] = fc.sample(agreeingPurchase, { numRuns: 1, seed: 7 });
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

/** The same value with object members in another order and unknown ones added. */
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
