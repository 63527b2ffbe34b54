import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ledgerOf, type OrderStory, SITE_ID } from './testing/ledger-fixture.js';
import { faultOf, sealOf, type SealedRecord } from './sealed-record.js';
import { ChainWalk, faultOfKept, readKeptHead } from './verify-chain.js';

const VECTORS = JSON.parse(
  readFileSync('docs/seals/truetally.ledger.1.json', 'utf8'),
) as readonly SealedRecord[];

const STORY: OrderStory = {
  orderId: 'bestellung-ü-1',
  currency: 'EUR',
  decimals: 2,
  touchId: 'klick-ü',
  steps: [
    { type: 'purchase', revenue: 3187n, tax: 447n, commissionable: 2350n, commission: 118n, margin: 900n },
    {
      type: 'adjustment',
      revenue: -1000n,
      tax: -160n,
      commissionable: -840n,
      commission: -42n,
      margin: -300n,
    },
    { type: 'commission', revenue: 0n, tax: 0n, commissionable: 0n, commission: 5n, margin: null },
  ],
};
const YEN: OrderStory = {
  ...STORY,
  orderId: '円の注文',
  currency: 'JPY',
  decimals: 0,
  steps: [{ type: 'purchase', revenue: 0n, tax: 0n, commissionable: 0n, commission: 0n, margin: null }],
};

async function walked(records: readonly SealedRecord[], head = records.at(-1)): Promise<ChainWalk> {
  const walk = new ChainWalk(SITE_ID, head ?? { sequence: '1', hash: '' });
  await walk.take(records);
  return walk;
}

/** The record with its field sealed otherwise, as somebody with the database would do it. */
async function sealedOtherwise(record: SealedRecord, name: string, text: string): Promise<SealedRecord> {
  const fields = record.fields.map(([one, old]) => [one, one === name ? text : old] as const);
  const changed = { ...record, fields };
  return { ...changed, hash: await sealOf(changed) };
}

describe('a chain sealed again', () => {
  it('sealing gives the hashes of the published vectors, with null fields and ids beyond ASCII', async () => {
    expect(VECTORS.length).toBeGreaterThan(2);
    for (const vector of VECTORS) {
      expect(await sealOf(vector)).toBe(vector.hash);
      expect(await faultOf(vector, SITE_ID)).toBeUndefined();
    }
  });

  it('a chain is sound from its first record to its last, also in several runs', async () => {
    const { records } = await ledgerOf([STORY, YEN]);
    const walk = await walked(records.slice(0, 2), records[3]);
    expect([walk.checked, walk.next]).toEqual([2, '3']);
    await walk.take(records.slice(2));
    walk.finish();
    expect([walk.fault, walk.checked, walk.end.hash]).toEqual([undefined, 4, records[3]?.hash]);
  });

  it('a walk names the place of a record that is missing, moved, of another site or of no known format', async () => {
    const { records } = await ledgerOf([STORY, YEN]);
    const [first, second, third, fourth] = records as readonly [
      SealedRecord,
      SealedRecord,
      SealedRecord,
      SealedRecord,
    ];
    const places = async (changed: readonly SealedRecord[]) => (await walked(changed)).fault?.sequence;
    expect(await places([first, third, fourth])).toBe('2');
    expect(await places([second])).toBe('1');
    expect(await places([first, { ...second, previous_hash: fourth.hash }])).toBe('2');
    expect(await places([{ ...first, format: 'truetally.ledger.0' }])).toBe('1');
    expect((await faultOf(first, 'another'))?.text).toBe('it was sealed for another site');
  });

  it('a chain has to reach the head that the service named, with its hash', async () => {
    const { records } = await ledgerOf([STORY]);
    const [first, second] = records as readonly [SealedRecord, SealedRecord];
    const short = await walked([first], second);
    short.finish();
    expect(short.fault).toEqual({ sequence: '2', text: 'the chain ends before its head, place 2' });
    const other = await walked([first, second], { ...second, hash: first.hash });
    expect(other.fault?.text).toContain('the head named');
  });

  it('a walk finds a record that was sealed again with other amounts, without its order’s sums', async () => {
    const { records } = await ledgerOf([STORY]);
    const [first, second] = records as readonly [SealedRecord, SealedRecord];
    const raised = await sealedOtherwise(second, 'receivable_balance', '9187');
    const fault = (await walked([first, raised])).fault;
    expect(fault?.text).toMatch(/do not sum to zero|does not sum/);
    const lone = await sealedOtherwise(second, 'order_sequence', '4');
    expect((await walked([first, lone])).fault?.text).toContain('entry 4 of order');
    const renamed = { ...first, fields: first.fields.map(([name, text]) => [`${name}x`, text] as const) };
    expect((await walked([renamed])).fault?.text).toContain('not those of its format');
  });

  it('any changed character of a record is found', async () => {
    const { records } = await ledgerOf([STORY, YEN]);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 0x7f }), async (which, where, step) => {
        const place = which % records.length;
        const changed = withOneChange(records[place] as SealedRecord, where, step);
        const { fault } = await walked(records.with(place, changed), records.at(-1));
        expect(fault?.sequence).toMatch(/^\d+$/);
      }),
    );
  });
});

/** One character of one of its texts is another one. */
function withOneChange(record: SealedRecord, where: number, step: number): SealedRecord {
  const texts = [record.sequence, record.format, record.previous_hash, record.hash];
  const all = [...texts, ...record.fields.flat()];
  const at = all.reduce<number[]>(
    (found, text, place) => (text === null || text === '' ? found : [...found, place]),
    [],
  );
  const place = at[where % at.length] ?? 0;
  const text = all[place] ?? '';
  const index = where % text.length;
  const other = String.fromCharCode((text.charCodeAt(index) + step) & 0xffff);
  const changed = all.with(place, text.slice(0, index) + other + text.slice(index + 1));
  const [sequence = '', format = '', previous = '', hash = '', ...rest] = changed as string[];
  const fields = record.fields.map(
    (_, field) => [rest[field * 2] ?? '', changed[4 + field * 2 + 1] ?? null] as const,
  );
  return { sequence, format, previous_hash: previous, hash, fields };
}

describe('a kept head', () => {
  it('a head is found again at its place, and that of another chain is refused', async () => {
    const { records } = await ledgerOf([STORY]);
    const [, second] = records as readonly [SealedRecord, SealedRecord];
    const kept = { website_id: SITE_ID, sequence: '2', hash: second.hash };
    expect(await faultOfKept(kept, second, SITE_ID)).toBeUndefined();
    const other = await faultOfKept({ ...kept, website_id: 'another' }, second, SITE_ID);
    expect(other?.text).toContain('of another chain');
    expect((await faultOfKept(kept, undefined, SITE_ID))?.text).toContain('no record');
    expect((await faultOfKept({ ...kept, hash: '0'.repeat(64) }, second, SITE_ID))?.text).toContain(
      'kept was',
    );
    const changed = { ...second, fields: second.fields.with(4, ['order_id', 'x']) };
    expect((await faultOfKept(kept, changed, SITE_ID))?.text).toContain('do not give its hash');
  });

  it('a head is read from its file, and anything else is none', () => {
    const head = { website_id: SITE_ID, sequence: '12', hash: 'a'.repeat(64) };
    expect(readKeptHead(JSON.stringify({ ...head, recorded_at: 'then' }))).toEqual(head);
    for (const text of ['', '[]', 'null', '{}', JSON.stringify({ ...head, sequence: '0' })])
      expect(readKeptHead(text)).toBeUndefined();
  });
});
