import { describe, expect, it } from '@jest/globals';
import type { OrderResource } from '@truetally/node';
import fc from 'fast-check';
import { ledgerOf, type OrderStory, type Step } from './testing/ledger-fixture.js';
import { sealOf } from './sealed-record.js';
import { verifyOrder } from './verify-order.js';

const amount = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
const change = fc.record({
  revenue: amount,
  tax: amount,
  commissionable: amount,
  commission: amount,
  margin: fc.option(amount, { nil: null }),
});
const step = (type: Step['type']) => change.map((one): Step => ({ ...one, type }));

/** Orders of each number of decimals, with ids beyond ASCII. */
const story: fc.Arbitrary<OrderStory> = fc
  .record({
    orderId: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    money: fc.constantFrom(
      { currency: 'JPY', decimals: 0 },
      { currency: 'EUR', decimals: 2 },
      { currency: 'IQD', decimals: 3 },
    ),
    touchId: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    purchase: step('purchase'),
    later: fc.array(
      fc.oneof(
        step('adjustment'),
        step('commission').map((one) => ({ ...one, revenue: 0n, tax: 0n, commissionable: 0n })),
      ),
      { maxLength: 3 },
    ),
  })
  .map(({ orderId, money, touchId, purchase, later }) => ({
    orderId,
    ...money,
    touchId,
    // A margin is known from the beginning or never.
    steps: [purchase, ...later.map((one) => (purchase.margin === null ? { ...one, margin: null } : one))],
  }));

const FREE = new Set(['provider', 'partner_id', 'next_cursor']);

/** Paths to each text of the answer that is sealed; the provider, partner and time of a touch are looked up. */
function* sealedTexts(value: unknown, path: readonly (number | string)[] = []): Iterable<typeof path> {
  if (typeof value === 'string' && value !== '') yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const isOfTouch = path[0] === 'matched_touches' && name === 'occurred_at';
    if (!FREE.has(name) && !isOfTouch) yield* sealedTexts(inner, [...path, name]);
  }
}

function changedAt(order: OrderResource, path: readonly (number | string)[], where: number): OrderResource {
  const copy = structuredClone(order);
  let holder = copy as unknown as Record<number | string, unknown>;
  for (const name of path.slice(0, -1)) holder = holder[name] as typeof holder;
  const last = path.at(-1) ?? '';
  const text = String(holder[last]);
  const index = where % text.length;
  const other = text[index] === '7' ? '8' : '7';
  holder[last] = text.slice(0, index) + other + text.slice(index + 1);
  return copy;
}

describe('an order beside its sealed records', () => {
  it('an order as it was sealed has no fault, in every currency’s decimals', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (one) => {
        const { orders, records } = await ledgerOf([one]);
        expect(await verifyOrder(orders[0] as OrderResource, records)).toEqual([]);
      }),
    );
  });

  it('any changed character of what is shown is found, with its place', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.nat(), fc.nat(), async (one, which, where) => {
        const { orders, records } = await ledgerOf([one]);
        const order = orders[0] as OrderResource;
        const paths = [...sealedTexts(order)];
        const changed = changedAt(order, paths[which % paths.length] ?? [], where);
        const faults = await verifyOrder(changed, records);
        expect(faults.map(({ sequence }) => sequence)).toContainEqual(expect.any(String));
      }),
    );
  });

  it('any changed character of a sealed record is found, with its place', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.nat(), fc.nat(), async (one, which, where) => {
        const { orders, records } = await ledgerOf([one]);
        const place = which % records.length;
        const record = records[place] ?? records[0];
        if (record === undefined) throw new Error('an order has a record');
        const field = where % record.fields.length;
        const [name, text] = record.fields[field] ?? ['', null];
        const fields = record.fields.with(field, [name, text === null ? '' : `${text}7`]);
        const faults = await verifyOrder(
          orders[0] as OrderResource,
          records.with(place, { ...record, fields }),
        );
        expect(faults.map(({ sequence }) => sequence)).toContain(record.sequence);
      }),
    );
  });

  it('an entry that is hidden, made up or of no chain is named', async () => {
    const [one] = fc.sample(story, { numRuns: 1, seed: 7 });
    const { orders, records } = await ledgerOf([one as OrderStory]);
    const order = orders[0] as OrderResource;
    const texts = async (shown: OrderResource, sealed = records) =>
      (await verifyOrder(shown, sealed)).map(({ text }) => text);
    expect(await texts({ ...order, entries: [] })).toContain('the chain has an entry that is not shown');
    const [entry] = order.entries;
    if (entry === undefined) throw new Error('an order has an entry');
    expect(await texts({ ...order, entries: [...order.entries, { ...entry, sequence: '99' }] })).toContain(
      'an entry is shown that the chain does not have',
    );
    expect(await texts(order, [])).toContain('the chain has no record of this order');
  });

  it('a touch that came after the cancellation is matched in the answer alone', async () => {
    const [one] = fc.sample(story, { numRuns: 1, seed: 3 });
    const nothing = { revenue: 0n, tax: 0n, commissionable: 0n, commission: 0n, margin: null };
    const cancelled = { ...(one as OrderStory), steps: [{ ...nothing, type: 'purchase' as const }] };
    const { records, orders } = await ledgerOf([
      { ...cancelled, steps: [...cancelled.steps, { ...nothing, type: 'cancellation' }] },
    ]);
    const [order, [purchase, last]] = [orders[0] as OrderResource, records];
    const [share] = order.attribution;
    if (share === undefined || purchase === undefined || last === undefined)
      throw new Error('it has a touch');
    const late = { ...share, outcome: 'refused' as const, reason: 'order_cancelled' };
    const shown = { ...order, attribution: [late] };
    // The touch of these records was attributed: it is no late one.
    expect(await verifyOrder(shown, records)).not.toEqual([]);
    const sealed = JSON.stringify([{ ...share, outcome: 'unmatched', reason: 'not_received' }]);
    const fields = last.fields.map(([name, text]) => [name, name === 'attribution' ? sealed : text] as const);
    const hash = await sealOf({ ...last, fields });
    const [entry, cancellation] = order.entries;
    const entries = [entry, { ...cancellation, hash }] as OrderResource['entries'];
    const unmatched = [purchase, { ...last, fields, hash }];
    expect(await verifyOrder({ ...order, entries, attribution: [late] }, unmatched)).toEqual([]);
  });
});
