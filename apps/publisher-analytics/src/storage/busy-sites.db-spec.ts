import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { PoolClient } from 'pg';
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

it('clicks of other sites are stored while one site is locked, and its own when it is free, before those who wait for it later', async () => {
  const [busy, other] = [randomUUID(), randomUUID()];
  const [pool, others] = [database.openPool(1), database.openPool(2)];
  const clicks = PublisherReplica.clicksOf(pool, 'UTC');
  const told = [busy, other].flatMap((siteId) => {
    const one = clickOf(siteId);
    return one.kind === 'click' ? [one.counted] : [];
  });
  const [holder, later] = [await others.connect(), await others.connect()];
  const lock = (client: PoolClient) =>
    client.query(`select pg_advisory_xact_lock(hashtextextended('publisher-analytics ' || $1, 0))`, [busy]);
  try {
    for (const client of [holder, later]) await client.query('begin');
    await lock(holder);
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
    const waiting = async (): Promise<number> => {
      const { rows } = await holder.query<{ n: number }>(
        'select count(*)::integer as n from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
      );
      return rows[0]?.n ?? 0;
    };
    await eventually(async () => (await waiting()) === 1, { message: 'the clicks wait for the site' });
    const locked = lock(later);
    await eventually(async () => (await waiting()) === 2, { message: 'another one waits behind them' });
    await holder.query('commit');
    // The other one ends only after them.
    await Promise.all([recorded, locked]);
    expect(await countOf(busy)).toBe(1);
  } finally {
    holder.release();
    later.release(true);
  }
});
