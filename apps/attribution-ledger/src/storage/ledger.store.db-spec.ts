import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RECORD_COLUMNS, type SealedFields, sealOf } from '@truetally/contracts';
import { aCancellation, anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';

let database: LedgerDatabase;
let replica: Replica;

beforeAll(async () => {
  database = await openLedgerDatabase();
  replica = database.replica();
});

afterAll(() => database.close());

describe('a recorded purchase', () => {
  it('stands in the ledger as it was sealed, column by column', async () => {
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
