import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import { type ServiceDatabase, walkErasure } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { type SettlementVersion, versionOf } from '../domain/decide-settlement.js';
import { toMicroInstant } from '../domain/instants.js';
import { settlementIdOf } from '../domain/names.js';
import { countingRows } from '../testing/counting-rows.js';
import { openPublisherDatabase } from '../testing/publisher-database.js';
import { eachSettlementOf } from './settlement-rows.js';
import { SettlementStore } from './settlement.store.js';
import { publisherErasure } from './site-erasure.js';
import { SiteScopes } from './site-scope.js';

const FROM_MS = Date.UTC(2026, 2, 1);
const ROWS_PER_PART = 500;
const PARTS = 8;
const SETTLEMENTS = 3_500;

let database: ServiceDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await openPublisherDatabase();
  pool = database.openPool(1);
});

afterAll(() => database.close());

function stateOf(siteId: string, second: number): SettlementVersion {
  const at = toMicroInstant({ epochMs: FROM_MS + second * 1_000, subMillisecond: '' });
  return versionOf(
    {
      providerTransactionId: 'one',
      clickReference: null,
      orderReference: null,
      status: second % 2 === 0 ? 'pending' : 'approved',
      currency: 'EUR',
      commissionable: 100n,
      commission: BigInt(second),
      transactionAt: toMicroInstant({ epochMs: FROM_MS, subMillisecond: '' }),
      updatedAt: at,
      isChangeTimed: true,
    },
    { siteId, provider: 'awin', settlementId: settlementIdOf(siteId, 'awin', 'one'), referenceHash: null },
  );
}

async function storeInParts(siteId: string): Promise<readonly number[]> {
  const store = new SettlementStore(new SiteScopes(() => 'UTC'));
  const read: number[] = [];
  for (let part = 0; part < PARTS; part += 1) {
    await inTransaction(pool, async (own) => {
      const { counted: client, rows } = countingRows(own);
      const recording = await store.begin(client, siteId);
      const offered = Array.from({ length: ROWS_PER_PART }, (_, n) => ({
        version: stateOf(siteId, part * ROWS_PER_PART + n),
        isChangeTimed: true,
      }));
      const kept = await recording.record(offered);
      expect(new Set(kept)).toEqual(new Set(['kept']));
      await recording.finish();
      read.push(rows());
    });
  }
  return read;
}

describe('a settlement with a long history', () => {
  it('gets new states without its history being read', async () => {
    const siteId = randomUUID();
    const read = await storeInParts(siteId);
    expect(Math.max(...read)).toBeLessThanOrEqual((read[1] ?? 0) + 1);
    const stored = await database.owner.query<{ states: string }>(
      `select count(*) as states from settlement_states where settlement_id = $1`,
      [settlementIdOf(siteId, 'awin', 'one')],
    );
    expect(stored.rows).toEqual([{ states: String(PARTS * ROWS_PER_PART - 1) }]);
  });

  it('a settlement with a long history is erased in pieces of a bounded number of states', async () => {
    const siteId = randomUUID();
    await storeInParts(siteId);
    const sizes = { settlements: 500, sums: 500, blocks: 2_048 };
    const walked = await walkErasure(publisherErasure(pool, sizes), siteId, 100);
    expect(walked).toMatchObject({ found: 1, done: 1 });
    // Four thousand states with five hundred in a piece; before and behind them the pieces of the other tables.
    expect(walked.steps).toBeGreaterThanOrEqual((PARTS * ROWS_PER_PART) / sizes.settlements + 1);
    const left = await database.owner.query('select from settlement_states where settlement_id = $1', [
      settlementIdOf(siteId, 'awin', 'one'),
    ]);
    expect(left.rowCount).toBe(0);
  });
});

describe('a reference that many settlements name', () => {
  it('gets its first click in parts of a bounded number of settlements', async () => {
    const siteId = randomUUID();
    const hash = createHash('sha256').update(siteId).digest('hex');
    await database.owner.query(
      `insert into settlements (settlement_id, site_id, provider, provider_transaction_id, status, currency,
         commissionable, commission, transaction_at, updated_at, recorded_at, reference_hash)
       select gen_random_uuid(), $1, 'awin', n::text, 'pending', 'EUR', 100, 5, '2026-03-01', '2026-03-01', now(), $2
       from generate_series(1, ${SETTLEMENTS}) n`,
      [siteId, Buffer.from(hash, 'hex')],
    );
    const parts: number[] = [];
    await inTransaction(pool, (client) =>
      eachSettlementOf(client, [{ hash, provider: 'awin' }], (part) => void parts.push(part.length)),
    );
    expect(Math.max(...parts)).toBeLessThanOrEqual(1_000);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(SETTLEMENTS);
  });
});
