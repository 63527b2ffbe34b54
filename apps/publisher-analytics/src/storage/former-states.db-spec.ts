import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import type { Pool } from 'pg';
import type { SettlementVersion } from '../domain/decide-settlement.js';
import { unpackFacts } from '../domain/facts.js';
import { toMilliseconds } from '../domain/instants.js';
import { factsToldAgain } from '../testing/arbitrary-facts.js';
import { ofSite, openPublisherDatabase } from '../testing/publisher-database.js';
import { republishSettlements } from './republish-settlements.js';
import { SettlementReads } from './settlement-reads.js';
import { SettlementStore } from './settlement.store.js';
import { SiteScopes } from './site-scope.js';

const RUNS = 25;
const MOST = 200;

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openPublisherDatabase();
});

afterAll(() => database.close());

function versionsOf(told: Parameters<typeof ofSite>[0][], siteId: string): readonly SettlementVersion[] {
  return told.flatMap((one) => {
    const stored = ofSite(one, siteId);
    return stored.kind === 'settlement' ? [stored.version] : [];
  });
}

const ALWAYS = { from: '2000-01-01T00:00:00.000Z', to: '9000-01-01T00:00:00.000Z' };

/** Empties the outbox. @returns what it would publish of a site, in its order */
async function publishedOf(
  pool: Pool,
  siteId: string,
): Promise<readonly ReturnType<typeof unpackFacts>[number][]> {
  const { rows } = await pool.query<Parameters<typeof unpackFacts>[0]>(
    'with gone as (delete from outbox returning *) select topic, key, value, headers from gone order by id',
  );
  return rows.filter(({ key }) => key === siteId).flatMap(unpackFacts);
}

/** By key. Of states that were told in one transaction it is not known which came first, and so what the status was before. */
const newestOf = (facts: readonly { readonly key: string; readonly value: string | null }[]) =>
  new Map(
    facts.map(({ key, value, ...fact }) => {
      const state = JSON.parse(value ?? '{}') as object;
      return [key, { ...fact, state: { ...state, previous_status: undefined } }];
    }),
  );

describe('the history of a settlement', () => {
  it('a settlement has every state that was told once, the newest last, for any order and grouping, and that one is published again', async () => {
    const pool = database.openPool(1);
    const store = new SettlementStore(new SiteScopes(() => 'UTC'));
    const reads = new SettlementReads(pool);
    await fc.assert(
      fc.asyncProperty(factsToldAgain(12), async ([told, again, size]) => {
        const siteId = randomUUID();
        const offered = versionsOf([...again], siteId).map((version) => ({ version, isChangeTimed: true }));
        for (let from = 0; from < offered.length; from += size) {
          await inTransaction(pool, async (client) => {
            const recording = await store.begin(client, siteId);
            await recording.record(offered.slice(from, from + size));
            await recording.finish();
          });
        }
        const first = newestOf(await publishedOf(pool, siteId));
        await republishSettlements({ pool, period: ALWAYS, published: () => Promise.resolve() });
        expect(newestOf(await publishedOf(pool, siteId))).toEqual(first);
        const pages = await Promise.all(
          ['awin', 'cj'].map((provider) => reads.page(siteId, provider, MOST, null)),
        );
        const listed = pages
          .flatMap(({ settlements }) => settlements)
          .flatMap((one) => {
            const { id, status, updated_at: newest, history } = one;
            expect(one.history_count).toBe(history.length);
            expect(history.at(-1)).toMatchObject({ status, updated_at: newest });
            const times = history.map(({ updated_at }) => updated_at);
            expect(times).toEqual([...times].sort());
            return history.map((state) => `${id} ${state.updated_at} ${state.status}`);
          });
        const expected = versionsOf([...told], siteId).map(
          ({ settlementId, updatedAt, status }) => `${settlementId} ${toMilliseconds(updatedAt)} ${status}`,
        );
        expect(listed.sort()).toEqual(expected.sort());
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps what anybody replaces, and refuses what is not newer', async () => {
    const { owner } = database;
    const settlementId = randomUUID();
    await owner.query(
      `insert into settlements (settlement_id, site_id, provider, provider_transaction_id, status, currency,
         commissionable, commission, transaction_at, updated_at, recorded_at)
       values ($1, $2, 'awin', 'by-hand', 'pending', 'EUR', 100, 5, '2026-03-01', '2026-03-02', '2026-03-03')`,
      [settlementId, randomUUID()],
    );
    const change = (updatedAt: string) =>
      owner.query(`update settlements set status = 'approved', updated_at = $2 where settlement_id = $1`, [
        settlementId,
        updatedAt,
      ]);
    await expect(change('2026-03-02')).rejects.toThrow('append-only');
    await expect(change('2026-03-01')).rejects.toThrow('append-only');
    await change('2026-03-04');
    const { rows } = await owner.query(
      'select status, commission from settlement_states where settlement_id = $1',
      [settlementId],
    );
    expect(rows).toEqual([{ status: 'pending', commission: '5' }]);
  });
});
