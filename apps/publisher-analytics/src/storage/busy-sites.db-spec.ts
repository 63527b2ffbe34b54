import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TransientError } from '@truetally/messaging';
import type { Repetition } from '@truetally/platform';
import { eventually } from '@truetally/testing';
import { type ServiceDatabase, walkErasure } from '@truetally/testing-product';
import type { Pool, PoolClient } from 'pg';
import type { CountedClick } from '../domain/fold-facts.js';
import { countParkedClicks } from '../follow-clicks/parked-counter.js';
import { erasureOf, ofSite, openPublisherDatabase, PublisherReplica } from '../testing/publisher-database.js';
import type { ClickStore } from './click.store.js';
import type { ToldClicks } from './parked-clicks.js';
import { referenceErasure } from './person-erasure.js';
import { publisherErasure } from './site-erasure.js';

let database: ServiceDatabase;
let pool: Pool;
let clicks: ClickStore;
let counter: Repetition | undefined;

beforeAll(async () => {
  database = await openPublisherDatabase();
  // Fewer connections than there are locked sites.
  pool = database.openPool(3);
  clicks = PublisherReplica.clicksOf(pool, 'UTC');
});

afterEach(async () => {
  await counter?.close();
  counter = undefined;
});

afterAll(() => database.close());

/** Until then nothing counts what is parked. */
function wake(): void {
  counter ??= countParkedClicks(pool, clicks, { warn: () => undefined });
  counter.wake();
}

function clickOf(siteId: string, name = 'event'): CountedClick {
  const click = {
    eventId: name,
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
  const told = ofSite({ kind: 'click', counted: { hash: name, click } }, siteId);
  if (told.kind !== 'click') throw new Error('It is a click.');
  return told.counted;
}

/** Tells of clicks and their references; the counter is woken as by whoever follows them. */
async function tell(...counted: readonly CountedClick[]): Promise<void> {
  if (await clicks.record(factsOf(...counted))) wake();
}

function factsOf(...counted: readonly CountedClick[]): ToldClicks {
  return {
    clicks: counted.map(({ click }) => click),
    references: counted.map(({ click: { eventId, siteId }, hash }) => {
      return { eventId, siteId, hash, keyId: 'test', sealed: Buffer.from(eventId) };
    }),
  };
}

/** Locks sites, as an import does. @returns frees them */
async function lock(...siteIds: readonly string[]): Promise<() => Promise<void>> {
  const client: PoolClient = await database.owner.connect();
  await client.query('begin');
  for (const siteId of siteIds) {
    await client.query(`select pg_advisory_xact_lock(hashtextextended('publisher-analytics ' || $1, 0))`, [
      siteId,
    ]);
  }
  return async () => {
    await client.query('commit');
    client.release();
  };
}

async function countedOf(siteId: string): Promise<number> {
  const { rows } = await database.owner.query<{ n: number }>(
    `select coalesce(sum(clicks), 0)::integer as n from report_totals where site_id = $1 and level = 'day'`,
    [siteId],
  );
  return rows[0]?.n ?? 0;
}

async function parkedOf(siteId: string): Promise<number> {
  const { rows } = await database.owner.query<{ n: number }>(
    'select count(*)::integer as n from parked_clicks where site_id = $1',
    [siteId],
  );
  return rows[0]?.n ?? 0;
}

describe('clicks of a locked site', () => {
  it('clicks of a locked site are counted once when it is free, also those told again, and those of others meanwhile', async () => {
    const [busy, other] = [randomUUID(), randomUUID()];
    const free = await lock(busy);
    await tell(clickOf(busy, 'one'), clickOf(other, 'one'), clickOf(busy, 'two'));
    await tell(clickOf(other, 'two'), clickOf(busy, 'one'));
    expect([await countedOf(busy), await countedOf(other)]).toEqual([0, 2]);
    expect(await parkedOf(busy)).toBe(6);
    await free();
    await tell(clickOf(busy, 'three'));
    await eventually(async () => (await countedOf(busy)) === 3, { message: 'the parked clicks' });
    expect(await parkedOf(busy)).toBe(0);
    expect(await countedOf(other)).toBe(2);
  });

  it('clicks wait behind those that came before, also when their site is free by then', async () => {
    const site = randomUUID();
    const free = await lock(site);
    await clicks.record({ clicks: [clickOf(site, 'one').click], references: [] });
    await free();
    // Nobody has counted them: the next ones keep the order.
    await clicks.record({ clicks: [clickOf(site, 'two').click], references: [] });
    const { rows } = await database.owner.query<{ click: { eventId: string } }>(
      'select click from parked_clicks where site_id = $1 order by id',
      [site],
    );
    expect(rows.map(({ click }) => click.eventId)).toEqual(
      ['one', 'two'].map((name) => clickOf(site, name).click.eventId),
    );
  });

  it('parked clicks keep no other parked ones waiting, however many sites stay locked', async () => {
    const locked = [1, 2, 3].map(() => randomUUID());
    const soon = randomUUID();
    const [freeAll, free] = [await lock(...locked), await lock(soon)];
    await tell(...locked.map((siteId) => clickOf(siteId)), clickOf(soon));
    await free();
    await eventually(async () => (await countedOf(soon)) === 1, { message: 'the click of the free site' });
    const other = randomUUID();
    await tell(clickOf(other));
    expect(await countedOf(other)).toBe(1);
    await freeAll();
    await eventually(async () => (await Promise.all(locked.map(countedOf))).every((n) => n === 1), {
      message: 'the clicks of all',
    });
  });

  it('parked clicks are found by another process when the one that parked them has ended', async () => {
    const site = randomUUID();
    const free = await lock(site);
    await clicks.record({ clicks: [clickOf(site).click], references: [] });
    await free();
    wake();
    await eventually(async () => (await parkedOf(site)) === 0, { message: 'the click to be stored' });
  });

  it('parked clicks are erased with their site, while it is locked too', async () => {
    const site = randomUUID();
    const free = await lock(site);
    await clicks.record({ clicks: [clickOf(site).click], references: [] });
    await walkErasure(publisherErasure(pool), site, 5_000);
    expect(await parkedOf(site)).toBe(0);
    await free();
  });

  it('parked clicks are not stored when their site was erased before they were counted', async () => {
    const site = randomUUID();
    const free = await lock(site);
    await clicks.record({ clicks: [clickOf(site).click], references: [] });
    await database.owner.query('insert into erased_sites (site_id) values ($1)', [site]);
    await free();
    wake();
    await eventually(async () => (await parkedOf(site)) === 0, { message: 'the parked click to go' });
    const { rowCount } = await database.owner.query('select from clicks where site_id = $1', [site]);
    expect(rowCount).toBe(0);
  });

  it('parked clicks are counted before the erasure of their person, which leaves no reference', async () => {
    const site = randomUUID();
    const free = await lock(site);
    const told = clickOf(site);
    await clicks.record(factsOf(told));
    const erasure = referenceErasure(pool);
    const asked = erasureOf(site, [told.click.eventId]);
    await expect(erasure.step(asked)).rejects.toThrow('lock timeout');
    await free();
    await expect(erasure.step(asked)).rejects.toThrow(TransientError);
    wake();
    await eventually(async () => (await countedOf(site)) === 1, { message: 'the parked click' });
    expect(await erasure.step(asked)).toMatchObject({ done: 1 });
    const { rowCount } = await database.owner.query(
      'select from click_references where site_id = $1 and sealed is not null',
      [site],
    );
    expect([rowCount, await countedOf(site)]).toEqual([0, 1]);
  });
});
