import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Told } from '../testing/publisher-model.js';
import { ofSite, openPublisherDatabase, PublisherReplica } from '../testing/publisher-database.js';

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openPublisherDatabase();
});

afterAll(() => database.close());

function clickOf(siteId: string): Told {
  const click = {
    eventId: 'event',
    siteId,
    provider: 'awin',
    occurredAt: '2026-03-09T23:30:00.000Z',
    receivedAt: '2026-03-09T23:30:00.000Z',
    isBot: false,
    partnerId: null,
    campaignId: null,
    contentId: 'guide',
    placementId: null,
    creativeId: null,
    destinationHost: 'partner.example',
    destinationPath: '/a',
  };
  return ofSite({ kind: 'click', counted: { hash: 'hash', click } }, siteId);
}

it('clicks of other sites are stored while one site is locked, and its own when it is free, without a connection in hand', async () => {
  const [busy, other] = [randomUUID(), randomUUID()];
  const pool = database.openPool(1);
  const clicks = PublisherReplica.clicksOf(pool, 'UTC');
  const told = [busy, other].flatMap((siteId) => {
    const one = clickOf(siteId);
    return one.kind === 'click' ? [one.counted] : [];
  });
  const holder = await database.owner.connect();
  try {
    await holder.query('begin');
    await holder.query(`select pg_advisory_xact_lock(hashtextextended('publisher-analytics ' || $1, 0))`, [
      busy,
    ]);
    const recorded = clicks.record({
      clicks: told.map(({ click }) => click),
      references: told.map(({ click: { eventId, siteId }, hash }) => {
        return { eventId, siteId, hash, keyId: 'test', sealed: Buffer.alloc(1) };
      }),
    });
    const countOf = async (siteId: string): Promise<number> => {
      const { rows } = await database.owner.query<{ n: number }>(
        'select count(*)::integer as n from clicks where site_id = $1',
        [siteId],
      );
      return rows[0]?.n ?? 0;
    };
    await eventually(async () => (await countOf(other)) === 1, { message: 'the other site’s click' });
    expect(await countOf(busy)).toBe(0);
    // The only connection of the pool is free for others.
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await holder.query('commit');
    await recorded;
    expect(await countOf(busy)).toBe(1);
  } finally {
    holder.release();
  }
});
