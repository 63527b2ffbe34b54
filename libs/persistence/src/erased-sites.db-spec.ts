import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { ERASED_SITES_SQL, ErasedSites, eraseOnce } from './erased-sites.js';
import type { AskedStep } from './inbox.js';
import { inTransaction } from './index.js';
import { ThingsDatabase } from './testing/things.js';

let database: ThingsDatabase;

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
  const { schema, role } = database.migration;
  await database.owner.query(`set search_path = ${schema}`);
  for (const sql of [ERASED_SITES_SQL, ROWS_SQL]) {
    await database.owner.query(sql.replaceAll('{schema}', schema).replaceAll('{role}', role));
  }
});

afterAll(() => database.close());

const ROWS_SQL = `
  create table site_rows (site_id uuid not null);
  grant select, insert, delete on site_rows to {role}`;

interface Pauses {
  readonly beforeMs: number;
  readonly betweenMs: number;
  readonly afterMs: number;
}

/** Writes like a service: the lock, the check of the marks, the row. @returns whether it was written */
async function write(
  pool: Pool,
  sites: ErasedSites,
  siteId: string,
  { beforeMs, betweenMs, afterMs }: Pauses,
): Promise<boolean> {
  await delay(beforeMs);
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ seen: string }>('select erasures_seen() as seen');
    await delay(betweenMs);
    const erased = await sites.at(client, rows[0]?.seen ?? '0');
    if (erased.has(siteId)) return false;
    await client.query('insert into site_rows values ($1)', [siteId]);
    await delay(afterMs);
    return true;
  });
}

const IDLE: { readonly cursor: string | null; readonly erased: number } = { cursor: null, erased: 0 };

/** @returns the number of deleted rows */
async function erase(pool: Pool, siteId: string): Promise<number> {
  const job = randomUUID();
  let erased = 0;
  let cursor: string | null = null;
  for (let step = 0; step === 0 || cursor !== null; step += 1) {
    const asked: AskedStep = { name: `${job}/${step}`, cursor };
    const report: typeof IDLE = await eraseOnce(pool, asked, { siteId, idle: IDLE }, async (client) => {
      const { rowCount } = await client.query('delete from site_rows where site_id = $1', [siteId]);
      return { cursor: null, erased: rowCount ?? 0 };
    });
    erased += report.erased;
    cursor = report.cursor;
  }
  return erased;
}

describe('an erasure', () => {
  const pauses = fc.record({
    beforeMs: fc.integer({ min: 0, max: 20 }),
    betweenMs: fc.integer({ min: 0, max: 20 }),
    afterMs: fc.integer({ min: 0, max: 20 }),
  });

  it('leaves no row of concurrent writers, on several replicas', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(pauses, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 30 }),
        async (writers, beginsMs) => {
          const siteId = randomUUID();
          const replicas = [new ErasedSites(), new ErasedSites()];
          const written = writers.map((each, index) =>
            write(database.pool, replicas[index % 2] ?? new ErasedSites(), siteId, each),
          );
          await delay(beginsMs);
          const erased = await erase(database.pool, siteId);
          const kept = (await Promise.all(written)).filter(Boolean).length;
          const { rowCount } = await database.pool.query('select from site_rows where site_id = $1', [
            siteId,
          ]);
          expect([erased, rowCount]).toEqual([kept, 0]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('an erasure is seen by a replica that has seen a later one: marks are committed in turn', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const reader = new ErasedSites();
    const { isLater } = await inTransaction(database.pool, async (client) => {
      await client.query('select announce_erasure($1)', [first]);
      const later = erase(database.pool, second);
      // It waits for the first, or it has finished without waiting.
      await Promise.race([later, eventually(waitingMarks)]);
      await inTransaction(database.pool, (other) => look(other, reader));
      return { isLater: later };
    });
    await isLater;
    const seen = await inTransaction(database.pool, (client) => look(client, reader));
    expect([first, second].filter((siteId) => !seen.has(siteId))).toEqual([]);
  });
});

async function waitingMarks(): Promise<boolean> {
  const { rowCount } = await database.owner.query(
    `select from pg_stat_activity where usename = $1 and wait_event_type = 'Lock' and query like '%announce_erasure%'`,
    [database.migration.role],
  );
  return rowCount === 1;
}

async function look(
  client: Parameters<ErasedSites['at']>[0],
  sites: ErasedSites,
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ seen: string }>('select erasures_seen() as seen');
  return sites.at(client, rows[0]?.seen ?? '0');
}
