import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { toldBy } from '../fold-facts/fold-facts.js';
import { erasureOf, openAnalyticsDatabase } from '../testing/analytics-database.js';
import { impatientPool, repeated, untilAllSilent } from '../testing/silent-transactions.js';
import { eventFact } from '../testing/told-facts.js';
import type { ReplacedKey } from '../clickhouse/clickhouse-erasure.js';
import type { Elsewhere } from './erase-elsewhere.js';
import { FoldStore } from './fold.store.js';
import { sessionErasure } from './person-erasure.js';
import { analyticsErasure } from './site-erasure.js';

const SITES = { localeOf: () => ({ timeZone: 'UTC', currency: 'EUR' }) };

let database: ServiceDatabase;
/** Its transactions are ended after a moment of silence. */
let pool: pg.Pool;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  pool = impatientPool(database);
});

afterAll(async () => {
  await pool.end();
  await database.close();
});

async function siteWithSession(): Promise<string> {
  const siteId = randomUUID();
  const told = { id: '1', type: 'page_view', session: 'erased', minute: 1 };
  await new FoldStore(database.openPool(1)).fold(await toldBy([eventFact(siteId, told)], SITES));
  return siteId;
}

describe('an erasure with a part in another store', () => {
  it('a part that lasts longer than a transaction may be silent is waited for, and counted', async () => {
    const siteId = await siteWithSession();
    const elsewhere: Elsewhere = { count: () => Promise.resolve(5), erase: () => untilAllSilent(database) };
    const [ofPersons, asked] = [
      sessionErasure(pool, { ofKeys: () => elsewhere }),
      erasureOf(siteId, ['erased']),
    ];
    const ofPerson = await repeated(() => ofPersons.step(asked));
    // Besides its event here, and its quarter.
    expect(ofPerson).toMatchObject({ cursor: null, found: 7, done: 7 });
    const ofSite = analyticsErasure(pool, { elsewhere: { ofSite: () => elsewhere } });
    const [first, second] = [randomUUID(), randomUUID()];
    const { cursor } = await repeated(() => ofSite.step(first, siteId, null));
    const counted = await repeated(() => ofSite.step(second, siteId, cursor));
    expect(counted).toMatchObject({ found: 5, done: 5 });
  });

  it('an erasure that failed behind its part in another store counts at its repetition what was there', async () => {
    const siteId = await siteWithSession();
    const left = [5, 0];
    const elsewhere: Elsewhere = {
      count: () => Promise.resolve(left.shift() ?? 0),
      erase: () => (left.length === 0 ? Promise.resolve() : Promise.reject(new Error('cut off'))),
    };
    const erasure = sessionErasure(database.openPool(2), { ofKeys: () => elsewhere });
    const asked = erasureOf(siteId, ['erased']);
    await expect(erasure.step(asked)).rejects.toThrow('cut off');
    expect(await erasure.step(asked)).toMatchObject({ found: 7, done: 7 });
  });

  it('a session has one key in both stores where an erasure failed between them, and nothing leads to it', async () => {
    const siteId = await siteWithSession();
    const given: string[] = [];
    const ofKeys = (_: string, keys: readonly ReplacedKey[]): Elsewhere => ({
      count: () => Promise.resolve(0),
      erase: () => {
        given.push(...keys.map((key) => key.given));
        return given.length > 1 ? Promise.resolve() : Promise.reject(new Error('cut off'));
      },
    });
    const erasure = sessionErasure(database.openPool(2), { ofKeys });
    const [asked, another] = [erasureOf(siteId, ['erased']), erasureOf(siteId, ['erased'])];
    await expect(erasure.step(asked)).rejects.toThrow('cut off');
    await erasure.step(asked);
    const { rows } = await database.owner.query<{ key: string }>(
      'select session_key as key from session_quarters where site_id = $1',
      [siteId],
    );
    expect(given).toEqual(rows.flatMap(({ key }) => [key, key]));
    await erasure.step(another);
    expect(new Set(given).size).toBe(2);
    const kept = await database.owner.query(
      `select from inbox where starts_with(correlation_id, $1) and reply::text like '%secret%'`,
      [asked.name],
    );
    expect(kept.rowCount).toBe(0);
  });
});
