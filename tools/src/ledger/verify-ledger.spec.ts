import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { RECORD_COLUMNS, type LedgerRow } from '@truetally/contracts/attribution';
import { openExport, writeExport } from './export-file.js';
import { type Changes, LedgerMaker, resealed } from '../testing/ledger.js';
import { type LedgerSource } from './ledger-source.js';
import { type VerifyOptions, verifyLedger } from './verify-ledger.js';

const SITE = '11111111-1111-4111-8111-111111111111';
const OTHER_SITE = '22222222-2222-4222-8222-222222222222';
const HASH = 'f'.repeat(64);

/** Eight records of four orders, in two chains. */
const LEDGER = new LedgerMaker()
  .record(SITE, 'order-1', 'purchase')
  .record(SITE, 'order-2', 'purchase')
  .record(SITE, 'order-1', 'adjustment')
  .record(OTHER_SITE, 'order-1', 'purchase')
  .record(SITE, 'order-2', 'commission')
  .record(SITE, 'order-1', 'cancellation')
  .record(SITE, 'order-3', 'purchase')
  .record(OTHER_SITE, 'order-1', 'adjustment');
/** Their positions among the rows. */
const [PURCHASE, ADJUSTMENT, COMMISSION, CANCELLATION] = [0, 2, 4, 5];

async function faultIn(source: LedgerSource, options: VerifyOptions = {}): Promise<string | null> {
  const { fault } = await verifyLedger(source, options);
  return fault?.message ?? null;
}

/** Seals and heads match the changed rows, so that only the content of the records can reveal the change. */
function forged(at: number, changes: Changes): LedgerSource {
  const rows = resealed(LEDGER.rows, at, changes);
  const heads = [SITE, OTHER_SITE].map((site) => {
    const last = rows.filter((row) => row.site_id === site).at(-1);
    return { site_id: site, sequence: String(last?.chain_sequence), hash: String(last?.hash) };
  });
  return { ...LEDGER.source(() => rows), heads };
}

describe('an unchanged ledger', () => {
  it('an unchanged ledger is sound, whatever the number of passes over it', async () => {
    for (const ordersAtOnce of [1, 2, 100]) {
      const verdict = await verifyLedger(LEDGER.source(), { ordersAtOnce });
      expect(verdict).toMatchObject({ fault: null, records: 8, chains: 2, orders: 4 });
    }
  });

  it('an unchanged ledger is sound when it is empty, and when a chain begins without a record', async () => {
    const empty = new LedgerMaker().source();
    await expect(faultIn(empty)).resolves.toBeNull();
    const heads = [{ site_id: SITE, sequence: '0', hash: '0'.repeat(64) }];
    await expect(faultIn({ ...empty, heads })).resolves.toBeNull();
  });

  it('matches its anchors', async () => {
    const { site_id, chain_sequence, hash } = LEDGER.rows[ADJUSTMENT] as LedgerRow;
    const anchor = { site_id: String(site_id), sequence: String(chain_sequence), hash: String(hash) };
    await expect(faultIn(LEDGER.source(), { anchors: [anchor] })).resolves.toBeNull();
    await expect(faultIn(LEDGER.source(), { anchors: [{ ...anchor, hash: HASH }] })).resolves.toMatch(
      /record 3 .*: it was anchored as ffff/,
    );
    await expect(faultIn(LEDGER.source(), { anchors: [{ ...anchor, sequence: '9' }] })).resolves.toMatch(
      /record 9 of site 1111.* was anchored as .*, and is missing/,
    );
  });
});

describe('a record that was changed after it was sealed', () => {
  it.each([...RECORD_COLUMNS, 'previous_hash', 'hash'])(
    'a changed record is found by its %s, and named',
    async (column) => {
      const change = (rows: LedgerRow[]): LedgerRow[] =>
        rows.map((row, index) => (index === ADJUSTMENT ? { ...row, [column]: changed(row, column) } : row));
      await expect(faultIn(LEDGER.source(change))).resolves.not.toBeNull();
    },
  );

  it('a changed record is named as the first bad one, with both seals', async () => {
    const change = (rows: LedgerRow[]): LedgerRow[] =>
      rows.map((row, index) => (index === ADJUSTMENT ? { ...row, reason: 'other' } : row));
    await expect(faultIn(LEDGER.source(change))).resolves.toMatch(
      new RegExp(`^site ${SITE}, record 3 \\(adjustment .* of order order-1\\): its columns have the seal`),
    );
  });

  it('a change is found when a row is missing, comes twice, or two have changed places', async () => {
    const without = (rows: LedgerRow[]): LedgerRow[] => rows.filter((_, index) => index !== ADJUSTMENT);
    await expect(faultIn(LEDGER.source(without))).resolves.toMatch(/record 4 .* where record 3 /);
    const twice = (rows: LedgerRow[]): LedgerRow[] => [...rows, rows[ADJUSTMENT] as LedgerRow];
    await expect(faultIn(LEDGER.source(twice))).resolves.toMatch(/record 3 .* where record 4 /);
    const swapped = (rows: LedgerRow[]): LedgerRow[] =>
      rows.map((row, index) => {
        const sequence = { 0: '2', 1: '1' }[index];
        return sequence === undefined ? row : { ...row, chain_sequence: sequence };
      });
    await expect(faultIn(LEDGER.source(swapped))).resolves.toMatch(/record 1 .*the seal before it/);
  });

  it('a change is found when the end of a chain is missing, or a whole chain, or a head', async () => {
    const cut = (rows: LedgerRow[]): LedgerRow[] => rows.slice(0, -1);
    await expect(faultIn(LEDGER.source(cut))).resolves.toMatch(
      /must end with record 2 .* ends with record 1/,
    );
    const gone = (rows: LedgerRow[]): LedgerRow[] => rows.filter(({ site_id }) => site_id === SITE);
    await expect(faultIn(LEDGER.source(gone))).resolves.toMatch(/there is none of its records/);
    const source = LEDGER.source();
    await expect(faultIn({ ...source, heads: source.heads.slice(1) })).resolves.toMatch(/has no head/);
    const heads = source.heads.map((head) => ({ ...head, hash: HASH }));
    await expect(faultIn({ ...source, heads })).resolves.toMatch(/must end with record 6 and seal ffff/);
  });

  it('a change is found when more records are there than the chains hold', async () => {
    await expect(faultIn({ ...LEDGER.source(), records: 9 })).resolves.toMatch(/9 records, .* hold 8/);
  });
});

describe('a resealed record, with all following ones', () => {
  const purchase = LEDGER.rows[PURCHASE] as LedgerRow;
  it.each<[rule: string, at: number, changes: Changes, found: RegExp]>([
    ['sums to zero', ADJUSTMENT, { tax: '1' }, /sum to 1 and 0/],
    ['holds whole numbers', ADJUSTMENT, { tax: '1.5' }, /its tax is 1.5, which is no whole number/],
    ['is observed on both sides', ADJUSTMENT, { margin: '1' }, /both must be 0/],
    [
      'sums to its balance',
      ADJUSTMENT,
      { receivable: '-1000', merchandise: '1000' },
      /of account receivable sum/,
    ],
    ['says no margin where there is one', ADJUSTMENT, { margin_balance: null }, /its balance says null/],
    ['is the next of its order', ADJUSTMENT, { order_sequence: '3' }, /number 3 of its order, after 1/],
    [
      'belongs to a purchase',
      ADJUSTMENT,
      { order_id: 'order-9', order_sequence: '1' },
      /no purchase before it/,
    ],
    ['is the only purchase', ADJUSTMENT, { event_type: 'purchase' }, /was purchased before/],
    ['names its order’s conversion', ADJUSTMENT, { conversion_id: purchase.record_id }, /its conversion is/],
    ['has its order’s currency', ADJUSTMENT, { currency: 'USD' }, /it is in USD, and its order in EUR/],
    ['leaves its order as its kind does', ADJUSTMENT, { state: 'recorded' }, /must leave it adjusted/],
    ['advances', ADJUSTMENT, { occurred_at: purchase.occurred_at }, /came to .* before/],
    ['has its order’s time', COMMISSION, { occurred_at: '2026-02-01 00:00:00+00' }, /it occurred at/],
    ['is of a known kind', CANCELLATION, { event_type: 'other' }, /must leave it undefined/],
    [
      'was recorded after its predecessor',
      ADJUSTMENT,
      { recorded_at: '2026-01-01 00:00:00+00' },
      /before its pred/,
    ],
  ])('%s', async (_rule, at, changes, found) => {
    await expect(faultIn(forged(at, changes))).resolves.toMatch(found);
  });

  it('sums to zero beyond the range of a double', async () => {
    const vast = '90071992547409930000';
    const more = '90071992547409930001';
    const changes: Changes = {
      receivable: vast,
      receivable_balance: String(BigInt(vast) + 4_700n),
      merchandise: `-${vast}`,
      merchandise_balance: String(-BigInt(vast) - 3_700n),
    };
    await expect(faultIn(forged(ADJUSTMENT, changes))).resolves.not.toMatch(/record 3/);
    await expect(faultIn(forged(ADJUSTMENT, { ...changes, merchandise: `-${more}` }))).resolves.toMatch(
      /record 3 .*: its entries sum to -1 and 0/,
    );
  });

  it('leaves nothing when it is a cancellation', async () => {
    const left: Changes = {
      receivable: '-2849',
      merchandise: '1849',
      receivable_balance: '1',
      merchandise_balance: '-1',
    };
    await expect(faultIn(forged(CANCELLATION, left))).resolves.toMatch(
      /a cancellation leaves 1 in account rec/,
    );
  });

  it('never leaves less than nothing', async () => {
    const less: Changes = {
      receivable: '-4701',
      merchandise: '4701',
      receivable_balance: '-1',
      merchandise_balance: '1001',
    };
    await expect(faultIn(forged(ADJUSTMENT, less))).resolves.toMatch(/it leaves -1 in account receivable/);
  });

  it('a cancellation is the last record of its order, even if all following ones are resealed', async () => {
    const after = new LedgerMaker()
      .record(SITE, 'order-1', 'purchase')
      .record(SITE, 'order-1', 'cancellation');
    const source = after.record(SITE, 'order-1', 'adjustment').source();
    await expect(faultIn(source)).resolves.toMatch(/record 3 .*: its order was cancelled before it/);
  });

  it('a resealed record is found first where several passes find several', async () => {
    const source = forged(ADJUSTMENT, { currency: 'USD' });
    const messages = await Promise.all([1, 2, 100].map((ordersAtOnce) => faultIn(source, { ordersAtOnce })));
    expect(new Set(messages).size).toBe(1);
  });
});

describe('an export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-export-'));
  const file = join(folder, 'ledger.jsonl');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the whole ledger, readable by its owner only, and is verified without a database', async () => {
    await writeExport(LEDGER.source(), file, () => undefined);
    expect(statSync(file).mode & 0o077).toBe(0);
    await expect(verifyLedger(await openExport(file))).resolves.toEqual(await verifyLedger(LEDGER.source()));
  });

  it('an export that was changed is found out', async () => {
    const other = join(folder, 'changed.jsonl');
    writeFileSync(other, readFileSync(file, 'utf8').replace('"return"', '"other"'));
    await expect(faultIn(await openExport(other))).resolves.toMatch(/record 3 .*: its columns have the seal/);
  });

  it.each([
    ['is cut off', (text: string) => text.slice(0, text.lastIndexOf('{"end"')), /cut off after line 9/],
    ['ends within a record', (text: string) => text.slice(0, 5_000), /Line \d+ of .* is no record/],
    [
      'is of another format',
      (text: string) => text.replace('ledger-export.1', 'x'),
      /no export of the format/,
    ],
    ['has other columns', (text: string) => text.replace('"site_id",', ''), /has other columns/],
    ['is empty', () => '', /is empty/],
    ['is something else', () => 'PNG', /is no export of a ledger/],
  ])('an export that %s is refused', async (_name, spoil, message) => {
    const other = join(folder, 'spoilt.jsonl');
    writeFileSync(other, spoil(readFileSync(file, 'utf8')));
    const verify = async (): Promise<unknown> => verifyLedger(await openExport(other));
    await expect(verify()).rejects.toThrow(message);
  });
});

/** Another value of the same type. */
function changed(row: LedgerRow, column: string): string {
  const value = row[column as keyof LedgerRow];
  if (value === OTHER_SITE || column === 'site_id') return OTHER_SITE;
  return value === null ? 'something' : `${value}1`;
}
