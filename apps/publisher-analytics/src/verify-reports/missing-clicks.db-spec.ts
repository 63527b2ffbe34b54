import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServiceDatabase } from '@truetally/testing-product';
import { clickFact } from '../testing/click-fact.js';
import { openPublisherDatabase, PublisherReplica } from '../testing/publisher-database.js';
import { clicksWithoutReference, findMissingClicks } from './missing-clicks.js';

const TIMES = { lookMs: 20, idleLooks: 5, mostMs: 60_000 };
const SITE = randomUUID();
const DAY = '2026-03-29';

let database: ServiceDatabase;
let ingestion: string;

beforeAll(async () => {
  database = await openPublisherDatabase();
  ingestion = `${database.schema}_ingestion`;
  // What the verification reads of ingestion.
  await database.owner.query(
    `create schema ${ingestion};
     create table ${ingestion}.events (event_id uuid, site_id uuid, event_type text, occurred_at timestamptz,
       received_at timestamptz);
     create table ${ingestion}.erased_sites (site_id uuid)`,
  );
});

beforeEach(() => database.owner.query(`truncate ${ingestion}.events`));

afterAll(async () => {
  await database.owner.query(`drop schema ${ingestion} cascade`);
  await database.close();
});

/** @param received in how many seconds */
async function stored(received = -1): Promise<string> {
  const { rows } = await database.owner.query<{ event_id: string }>(
    `insert into ${ingestion}.events values (gen_random_uuid(), $1, 'partner_link_click', '${DAY}T12:00:00Z',
       clock_timestamp() + make_interval(secs => $2)) returning event_id`,
    [SITE, received],
  );
  return rows[0]?.event_id ?? '';
}

async function told(eventId: string): Promise<void> {
  const at = `${DAY}T12:00:00.000Z`;
  const click = clickFact({ eventId, siteId: SITE, occurredAt: at, receivedAt: at });
  await PublisherReplica.clicksOf(database.openPool(1), 'UTC').record({ clicks: [click], references: [] });
}

const compare = (changes: Partial<typeof TIMES> = {}) =>
  findMissingClicks(database.owner, ingestion, 5, { ...TIMES, ...changes });

describe('the comparison of clicks with ingestion’s', () => {
  it('a click that the service passed over is missing', async () => {
    await told(await stored());
    await stored();
    const days = [{ siteId: SITE, day: DAY, stored: 2, missing: 1 }];
    expect(await compare()).toEqual({ days, isBehind: false });
  });

  it('clicks are waited for as long as the service stores more of them, however slowly', async () => {
    const waiting = await Promise.all(Array.from({ length: 4 }, () => stored()));
    let looks = 0;
    const slowly = {
      query: async (...asked: Parameters<typeof database.owner.query>) => {
        looks += 1;
        if (looks % TIMES.idleLooks === 0) await told(waiting.shift() ?? '');
        return database.owner.query(...asked);
      },
    } as unknown as typeof database.owner;
    const compared = findMissingClicks(slowly, ingestion, 5, TIMES);
    expect(await compared).toEqual({ days: [], isBehind: false });
  });

  it('a service that is behind for longer than is waited is said to be behind', async () => {
    await stored();
    expect(await compare({ mostMs: 0 })).toMatchObject({ isBehind: true });
  });

  it('clicks that are received while it looks are not compared', async () => {
    await stored(60);
    expect(await compare()).toEqual({ days: [], isBehind: false });
  });

  it('a click whose reference never came is stored and in no report, which the verification tells', async () => {
    const before = await clicksWithoutReference(database.owner);
    const eventId = await stored();
    await told(eventId);
    expect(await clicksWithoutReference(database.owner)).toBe(before + 1);
    const reference = {
      eventId,
      siteId: SITE,
      hash: 'ab'.repeat(32),
      keyId: 'test',
      sealed: Buffer.alloc(1),
    };
    const clicks = PublisherReplica.clicksOf(database.openPool(1), 'UTC');
    await clicks.record({ clicks: [], references: [reference] });
    expect(await clicksWithoutReference(database.owner)).toBe(before);
  });
});
