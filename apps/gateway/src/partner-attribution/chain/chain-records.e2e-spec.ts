import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ListedOrder, SealedRecord } from '@truetally/contracts/attribution';
import type { Page as PageOf } from '@truetally/contracts/resource';
import { eventually } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import fc from 'fast-check';
import { line } from '../../testing/conversions.js';
import { LedgerShop } from '../../testing/ledger-shop.js';

/** The seal as the interface page defines it, written from its sentences alone. */
function sealed({ format, previous_hash, fields }: SealedRecord): string {
  const texts = [format, previous_hash, ...fields.map(([, text]) => text)];
  const joined = texts.map((text) => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)).join('');
  return createHash('sha256').update(joined).digest('hex');
}

/** Whether each record is sealed, and names the seal of the one before it. */
function isSound(records: readonly SealedRecord[]): boolean {
  let before = '0'.repeat(64);
  return records.every((record, index) => {
    const isNext = record.sequence === String(index + 1) && record.previous_hash === before;
    before = record.hash;
    return isNext && sealed(record) === record.hash;
  });
}

function valueOf({ fields }: SealedRecord, name: string): string | null | undefined {
  return fields.find(([field]) => field === name)?.[1];
}

describe('interface page, section 6: GET /partner-attribution/chain/records', () => {
  let product: Product;
  let shop: LedgerShop;
  let records: readonly SealedRecord[];

  beforeAll(async () => {
    product = await sharedProduct();
    shop = await LedgerShop.open(product);
    const { bodies } = shop;
    await shop.rule('awin', '0.05');
    await shop.record(bodies.simplePurchase('円の注文', '1500', { currency: 'JPY' }));
    await shop.record(
      bodies.purchase('bestellung-ü', { touch_ids: ['später'], experiment_assignment_ids: ['á'] }),
    );
    await shop.record(bodies.simplePurchase('دينار', '1.505', { currency: 'KWD' }));
    await shop.record(bodies.adjustment('bestellung-ü', 2));
    await shop.touch('später', { partner_id: null });
    await eventually(async () => (await shop.order('bestellung-ü')).commission_entries.length === 1);
    await shop.record(bodies.cancellation('bestellung-ü', 3));
    records = await shop.items<SealedRecord>('chain/records');
  });

  afterAll(() => product.stop());

  it('the records of a chain are enough to seal each again, in currencies of 0, 2 and 3 decimals', () => {
    expect(records).toHaveLength(6);
    expect(isSound(records)).toBe(true);
    expect(new Set(records.map((record) => valueOf(record, 'currency')))).toEqual(
      new Set(['EUR', 'JPY', 'KWD']),
    );
    const nulls = records.flatMap(({ fields }) => fields.filter(([, text]) => text === null));
    expect(nulls.length).toBeGreaterThan(0);
  });

  it('a changed, removed or added byte of any field, seal or name of a format is found', () => {
    const place = fc.tuple(
      fc.nat(records.length - 1),
      fc.nat(100),
      fc.nat(10_000),
      fc.integer({ min: 1, max: 255 }),
    );
    fc.assert(
      fc.property(place, fc.constantFrom('change', 'remove', 'add'), ([index, part, at, by], how) => {
        const changed = records.map((record, n) =>
          n === index ? changedIn(record, part, (text) => tampered(text, at, by, how)) : record,
        );
        expect(isSound(changed)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('fields are the columns of the record, amounts in minor units and times as they were sealed', async () => {
    const [yen, euro, dinar, , commission, cancellation] = records;
    if (yen === undefined || euro === undefined || dinar === undefined) throw new Error('Six were recorded.');
    if (commission === undefined || cancellation === undefined) throw new Error('Six were recorded.');
    expect([yen, euro, dinar].map((record) => valueOf(record, 'receivable'))).toEqual([
      '1500',
      '3187',
      '1505',
    ]);
    expect(valueOf(yen, 'occurred_at')).toBe('2026-01-01 09:30:00+00');
    expect(valueOf(yen, 'recorded_at')).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,3})?\+00$/);
    expect(valueOf(yen, 'order_id')).toBe('円の注文');
    expect(valueOf(yen, 'margin')).toBeNull();
    expect(valueOf(commission, 'event_type')).toBe('commission');
    expect(valueOf(commission, 'idempotency_key')).toBeNull();
    const order = await shop.order('bestellung-ü');
    const hashes = new Map(records.map(({ sequence, hash }) => [sequence, hash]));
    for (const { sequence, hash } of [...order.entries, ...order.commission_entries]) {
      expect(hashes.get(sequence)).toBe(hash);
    }
    for (const { format, fields } of records) {
      expect(format).toBe('truetally.ledger.1');
      expect(fields.map(([name]) => name)).toEqual(euro.fields.map(([name]) => name));
    }
  });

  it('records are paged by their sequence, from any of them, and by order', async () => {
    for (const limit of ['1', '4', '6', '500']) {
      expect(await shop.items('chain/records', { limit })).toEqual(records);
    }
    expect(await shop.items('chain/records', { from_sequence: '3', limit: '2' })).toEqual(records.slice(2));
    expect(await shop.items('chain/records', { from_sequence: '7' })).toEqual([]);
    const ofOrder = records.filter((record) => valueOf(record, 'order_id') === 'bestellung-ü');
    expect(ofOrder).toHaveLength(4);
    for (const limit of ['1', '3', '4']) {
      expect(await shop.items('chain/records', { order_id: 'bestellung-ü', limit })).toEqual(ofOrder);
    }
    expect(await shop.items('chain/records', { order_id: 'none' })).toEqual([]);
  });

  it('a page whose fields pass 1 MiB ends early, with at least one record, and none is missing', async () => {
    const own = await LedgerShop.open(product);
    const sku = 'ü'.repeat(128);
    const amounts = { unit_price: '1', subtotal: '1', commissionable_amount: '1', sku };
    const lines = Array.from({ length: 500 }, (_, n) => line(`line-${n}-${'x'.repeat(100)}`, amounts));
    const totals = { revenue: '500', commissionable_subtotal: '500', lines };
    for (let n = 0; n < 12; n++) await own.record(own.bodies.simplePurchase(`long-${n}`, 0, totals));
    const first = (await own.get<PageOf<SealedRecord>>('chain/records')).body.data;
    const bytes = (first?.items ?? []).map(({ fields }) =>
      fields.reduce((sum, [, text]) => sum + Buffer.byteLength(text ?? ''), 0),
    );
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1_048_576);
    expect(first?.items.length).toBeLessThan(12);
    expect(first?.items.length).toBeGreaterThan(0);
    const all = await own.items<SealedRecord>('chain/records');
    expect([all.length, isSound(all)]).toEqual([12, true]);
  });

  it('every broken rule of the query is 400 and named', async () => {
    const broken: readonly [Record<string, string>, readonly string[]][] = [
      [{ order_id: 'a', from_sequence: '1' }, ['from_sequence', 'order_id']],
      [{ from_sequence: '0' }, ['from_sequence']],
      [{ from_sequence: '-1' }, ['from_sequence']],
      [{ from_sequence: '1.5', limit: '501' }, ['from_sequence', 'limit']],
      [{ from_sequence: '9'.repeat(30) }, ['from_sequence']],
      [{ order_id: '' }, ['order_id']],
      [{ order_id: 'x'.repeat(129), limit: '0' }, ['limit', 'order_id']],
      [{ cursor: 'x' }, ['cursor']],
    ];
    for (const [query, names] of broken) {
      const { status, body } = await shop.get('chain/records', query);
      expect([status, Object.keys(body.error?.details ?? {}).sort()]).toEqual([400, names]);
    }
    expect((await shop.get('chain/records', { page: '2' })).body.error?.code).toBe('BAD_REQUEST');
  });

  it('the chain is for keys with partner_attribution:read of this site', async () => {
    const scopes = ['partner_attribution:convert'] as const;
    const { key } = await product.createApiKey(shop.site, { scopes });
    const other = await LedgerShop.open(product);
    const answers = await Promise.all([
      shop.get('chain/records'),
      shop.get('chain/records', {}, { 'x-api-key': key }),
      shop.get('chain/records', {}, { 'x-api-key': other.key }),
      shop.get('chain/records', {}, {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 401]);
    expect((await other.items<ListedOrder>('chain/records')).length).toBe(0);
  });
});

/** The record with one of its texts changed: a field, or what is beside the fields. */
function changedIn(
  record: SealedRecord,
  part: number,
  change: (text: string | null) => string | null,
): SealedRecord {
  const beside = ['format', 'previous_hash', 'hash'] as const;
  const name = beside[part % (record.fields.length + beside.length)];
  if (name !== undefined) return { ...record, [name]: change(record[name]) };
  const index = (part % (record.fields.length + beside.length)) - beside.length;
  const fields = record.fields.map(([field, text], n) => [field, n === index ? change(text) : text] as const);
  return { ...record, fields };
}

/** Another text: null becomes empty, and bytes are exchanged as Latin-1, so that any of them may be met. */
function tampered(text: string | null, at: number, by: number, how: string): string {
  if (text === null) return '';
  const byte = String.fromCharCode(by);
  const place = text.length === 0 ? 0 : at % text.length;
  if (how === 'add' || text === '') return `${text.slice(0, place)}${byte}${text.slice(place)}`;
  if (how === 'remove') return text.slice(0, place) + text.slice(place + 1);
  const other = String.fromCharCode((text.charCodeAt(place) + by) % 65_536);
  return text.slice(0, place) + other + text.slice(place + 1);
}
