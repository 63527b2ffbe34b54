import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RECORD_COLUMNS, type SealedFields, sealOf } from '@truetally/contracts/attribution';
import { aCancellation, aLine, anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';

let database: LedgerDatabase;
let replica: Replica;

beforeAll(async () => {
  database = await openLedgerDatabase();
  replica = database.replica();
});

afterAll(() => database.close());

describe('a recorded purchase', () => {
  it('a recorded purchase is stored as it was sealed, column by column', async () => {
    const siteId = randomUUID();
    const orderId = `order "é" \\ {1,2}`;
    const purchase = aPurchase({
      orderId,
      occurredAt: '2026-01-31T09:30:00.120500Z',
      touchIds: ['t"1', 'ü'],
      margin: { amount: 1_234n, basis: 'estimated', source: 'erp' },
    });
    const change = anAdjustment({ orderId, marginDelta: -100n, lines: [] });
    const end = aCancellation({ orderId, reversedRevenue: 9_000n });
    const { outcomes } = await replica.ledger.record(
      [purchase, change, end].map((one) => itemOf(siteId, one)),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    const columns = RECORD_COLUMNS.map((column) => `${column}::text`).join(', ');
    const { rows } = await database.owner.query<SealedFields & { previous_hash: string; hash: string }>(
      `select ${columns}, previous_hash, hash from records r where site_id = $1 order by r.chain_sequence`,
      [siteId],
    );
    let previous = '0'.repeat(64);
    for (const [index, row] of rows.entries()) {
      const outcome = outcomes[index];
      if (outcome?.kind !== 'accepted') throw new Error('Not accepted.');
      expect(row).toMatchObject({ ...outcome.sealed.fields });
      expect(row.previous_hash).toBe(previous);
      expect(row.hash).toBe(sealOf(previous, row));
      previous = row.hash;
    }
    expect(rows.map((row) => row.receivable_balance)).toEqual(['10000', '9000', '0']);
    expect(rows).toHaveLength(3);
  });
});

describe('the ledger of an order', () => {
  it('knows the lines of its purchase when they are adjusted later', async () => {
    const siteId = randomUUID();
    const { orderId, ...purchase } = aPurchase({ lines: [aLine(), aLine({ lineId: 'line-2' })] });
    await replica.ledger.record([itemOf(siteId, { ...purchase, orderId })]);
    const lines = ['line-2', 'line-3'].map((lineId) => ({ lineId, quantityDelta: '-1', subtotalDelta: -1n }));
    const { outcomes } = await replica.ledger.record([
      itemOf(siteId, anAdjustment({ orderId, lines })),
      itemOf(siteId, anAdjustment({ orderId, lines: lines.slice(0, 1) })),
    ]);
    expect(outcomes).toMatchObject([
      { kind: 'refused', failure: { details: { 'adjustment.lines.1.line_id': [expect.any(String)] } } },
      { kind: 'accepted' },
    ]);
  });

  it('the ledger of an order is a double entry: each balance sums its entries, all are zero', async () => {
    const siteId = randomUUID();
    const purchase = aPurchase({ revenue: 12_400n, tax: 1_900n, shipping: 500n });
    const { orderId } = purchase;
    await replica.ledger.record([
      itemOf(siteId, purchase),
      itemOf(siteId, anAdjustment({ orderId, revenueDelta: -1_190n, taxDelta: -190n })),
    ]);
    const { rows } = await replica.pool.query<{ account: string; amount: string }>(
      'select account, amount::text from balances where site_id = $1 and order_id = $2',
      [siteId, orderId],
    );
    expect(Object.fromEntries(rows.map(({ account, amount }) => [account, amount]))).toEqual({
      receivable: '11210',
      merchandise: '-9000',
      tax: '-1710',
      shipping: '-500',
      commissionable: '9000',
      memorandum: '-9000',
    });
  });
});

describe('a group', () => {
  it('finds each of its names by one descent of an index, though it was planned on empty tables', async () => {
    const fresh = await openLedgerDatabase();
    try {
      const { ledger, pool } = fresh.replica();
      const siteId = randomUUID();
      for (let round = 0; round < 8; round += 1) {
        await ledger.record(Array.from({ length: 64 }, () => itemOf(siteId, aPurchase({ touchIds: ['t'] }))));
      }
      await pool.query('select pg_stat_force_next_flush()');
      const { rows } = await fresh.owner.query<{ read: string; added: string }>(
        `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::text as read, sum(n_tup_ins)::text as added
         from pg_stat_user_tables where schemaname = $1 and relname in ('records', 'touches')`,
        [fresh.schema],
      );
      expect(rows[0]?.added).toBe('512');
      // No searched row exists: a plan that reads rows reads too much.
      expect(Number(rows[0]?.read)).toBeLessThan(64);
    } finally {
      await fresh.close();
    }
  });
});
