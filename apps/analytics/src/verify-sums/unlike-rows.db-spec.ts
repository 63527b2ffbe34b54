import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import type { ServiceDatabase } from '@truetally/testing-product';
import { toldBy } from '../fold-facts/fold-facts.js';
import { FoldStore, moveProgress } from '../storage/fold.store.js';
import { openAnalyticsDatabase } from '../testing/analytics-database.js';
import { atMinute, entryFact, eventFact, idOf, type ToldEvent } from '../testing/told-facts.js';
import { unlikeEntries } from './unlike-entries.js';
import { unlikePurchases } from './unlike-purchases.js';
import { compareTold, type Unlike } from './unlike-rows.js';

const SITES = { localeOf: () => ({ timeZone: 'UTC', currency: 'JPY' }) };
/** The facts of later minutes may be on their way. */
const READ_UNTIL = 100;
const MOST = 1_000;

let database: ServiceDatabase;
let store: FoldStore;
let owner: string;
let siteId: string;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  store = new FoldStore(database.openPool(2));
  owner = `${database.schema}_owner`;
  await database.owner.query(`create schema ${owner};
    create table ${owner}.records (site_id uuid, record_id uuid, order_id text, event_type text, currency text,
      receivable numeric(38, 0), occurred_at timestamptz, recorded_at timestamptz);
    create table ${owner}.outbox (id bigint generated always as identity, topic text, value text);
    create table ${owner}.events (site_id uuid, event_id uuid, event_type text, is_bot boolean, trust text,
      occurred_at timestamptz, received_at timestamptz, properties json);
    create table ${owner}.erased_sites (site_id uuid);
    create table ${owner}.erased_people (site_id uuid)`);
});

beforeEach(() => {
  siteId = randomUUID();
});

afterAll(() => database.close());

/** What was found in the site, as keys of the rows and whether they are kept. */
function foundIn({ wrong, behind }: Unlike): readonly [ReadonlyMap<string, boolean>, number] {
  const inSite = wrong.filter((one) => one.siteId === siteId);
  return [
    new Map(inSite.map(({ key, kept }) => [key.slice(0, idOf(siteId, '').length), kept !== null])),
    behind,
  ];
}

describe('the comparison of entries with the ledger', () => {
  const look = async () =>
    foundIn(
      await unlikeEntries(database.owner, owner, { readUntil: new Date(atMinute(READ_UNTIL)), most: MOST }),
    );

  it('an entry that is not as the ledger has it is found, as is one that is lacking, and none whose fact may be on its way', async () => {
    const minutes = { like: 1, unlike: 2, lacking: 3, 'on its way': READ_UNTIL };
    for (const [id, minute] of Object.entries(minutes)) {
      const entry = { type: 'purchase', order: id, minute, amount: 1_000n, currency: 'EUR' } as const;
      if (id.endsWith('like')) await store.fold(await toldBy([entryFact(siteId, { ...entry, id })], SITES));
      await database.owner.query(`insert into ${owner}.records values ($1, $2, $3, $4, $5, $6, $7, $7)`, [
        ...[
          siteId,
          idOf(siteId, id),
          id,
          'purchase',
          'EUR',
          id === 'unlike' ? '1001' : '1000',
          atMinute(minute),
        ],
      ]);
    }
    expect(await look()).toEqual([
      new Map([
        [idOf(siteId, 'unlike'), true],
        [idOf(siteId, 'lacking'), false],
      ]),
      1,
    ]);
    // Its entries go one after the other, and the ledger keeps its records.
    await database.owner.query('insert into erased_sites (site_id) values ($1)', [siteId]);
    expect(await look()).toEqual([new Map(), 0]);
  });
});

describe('the comparison of purchases with ingestion', () => {
  const EVENT = { type: 'purchase', session: 's' };
  const look = async () =>
    foundIn(
      await unlikePurchases(database.owner, owner, {
        since: new Date(0),
        readUntil: new Date(atMinute(READ_UNTIL)),
        most: MOST,
      }),
    );

  /** Stores the events as ingestion does, and tells them. */
  async function storeEvents(told: readonly ToldEvent[], isTold = true): Promise<void> {
    const facts = told.map((one) => eventFact(siteId, one));
    if (isTold) await store.fold(await toldBy(facts, SITES));
    for (const { value } of facts)
      await database.owner.query(
        `insert into ${owner}.events select * from json_populate_record(null::${owner}.events, $1)`,
        [value],
      );
  }

  it('purchases are as ingestion has their events, whatever these name as amount, order and currency', async () => {
    await storeEvents([
      { ...EVENT, id: 'a', minute: 1, amount: 10.005, currency: 'EUR', order: 'Ö "1"', trust: 'server' },
      {
        ...EVENT,
        id: 'b',
        minute: 2,
        properties: { revenue: 0.1, currency: 'no currency', transaction_id: '7' },
      },
      {
        ...EVENT,
        id: 'c',
        minute: 3,
        amount: 1.2345,
        currency: 'KWD',
        occurred_at: '2026-01-01T00:00:00.123456Z',
      },
      { ...EVENT, id: 'without an amount', minute: 4 },
      { ...EVENT, id: 'of a bot', minute: 5, amount: 1, isBot: true },
      { ...EVENT, type: 'page_view', id: 'no purchase', minute: 6, amount: 1 },
    ]);
    expect(await look()).toEqual([new Map(), 0]);
  });

  it.each([
    ['amount', 'set amount = amount + 1'],
    ['currency', `set currency = 'USD'`],
    ['order', `set order_id = 'another'`],
    ['trust class', 'set is_from_server = not is_from_server'],
    ['time', `set occurred_at = occurred_at + interval '1 second'`],
  ])('a purchase whose %s was changed by hand is found', async (_what, change) => {
    await storeEvents([{ ...EVENT, id: 'a', minute: 1, amount: 1, currency: 'EUR', order: '1' }]);
    await database.owner.query(`update purchases ${change} where site_id = $1`, [siteId]);
    expect(await look()).toEqual([new Map([[idOf(siteId, 'a'), true]]), 0]);
  });

  it('a purchase that is lacking is found, one that was doubled by hand, and none whose fact may be on its way', async () => {
    await storeEvents([{ ...EVENT, id: 'doubled', minute: 1, amount: 1 }]);
    await storeEvents([{ ...EVENT, id: 'lacking', minute: 2, amount: 1 }], false);
    await storeEvents([{ ...EVENT, id: 'on its way', minute: READ_UNTIL, amount: 1 }], false);
    await database.owner.query(
      `insert into purchases select $2, received_at, site_id, occurred_at, currency, order_id, amount, is_from_server
       from purchases where site_id = $1`,
      [siteId, idOf(siteId, 'its double')],
    );
    expect(await look()).toEqual([
      new Map([
        [idOf(siteId, 'lacking'), false],
        [idOf(siteId, 'its double'), true],
      ]),
      1,
    ]);
    // Ingestion has no event of an erased person, and sums keep the purchase.
    await database.owner.query(`insert into ${owner}.erased_people values ($1)`, [siteId]);
    expect(await look()).toEqual([new Map([[idOf(siteId, 'lacking'), false]]), 1]);
    await database.owner.query(`insert into ${owner}.erased_sites values ($1)`, [siteId]);
    expect(await look()).toEqual([new Map(), 0]);
  });
});

describe('how long a comparison waits', () => {
  const TOLD = { topic: TOPICS.conversionsRecorded.name, outbox: '' };
  const LACKING = { table: 't', siteId: 's', key: 'k', kept: null, computed: '1' };
  const PATIENT_MS = 60_000;

  async function readUntil(...moments: readonly string[]): Promise<void> {
    await database.owner.query('delete from fact_progress');
    for (const [partition, at] of moments.entries())
      await database.owner.query(`insert into fact_progress values ($1, $2, ${at})`, [TOLD.topic, partition]);
  }

  async function comparedUntil(
    found: Unlike,
    waitMs: number,
    afterEach: () => Promise<void> = () => Promise.resolve(),
  ): Promise<readonly number[]> {
    const asked: number[] = [];
    await compareTold(
      database.owner,
      { ...TOLD, outbox: owner },
      async (until) => {
        asked.push(until.getTime());
        await afterEach();
        return found;
      },
      waitMs,
    );
    return asked;
  }

  it('a comparison that lacks nothing does not wait, however far the topic is read', async () => {
    await readUntil();
    expect(await comparedUntil({ wrong: [], behind: 0 }, PATIENT_MS)).toEqual([0]);
  });

  it('a comparison that lacks a row compares again when what was told before is read', async () => {
    const beganMs = Date.now();
    await readUntil(`now() + interval '1 minute'`, `now()`);
    const [first = 0, second = 0, ...more] = await comparedUntil(
      { wrong: [LACKING], behind: 0 },
      PATIENT_MS,
      () => readUntil(`now() + interval '1 minute'`, `now() + interval '1 minute'`),
    );
    expect([first < beganMs, second > beganMs, more]).toEqual([true, true, []]);
  });

  it('facts are read until no later than the time of Postgres, also where the clock of their reader is ahead', async () => {
    await readUntil();
    await moveProgress(database.owner, [
      { topic: TOLD.topic, partition: 0, readUntil: '2099-01-01T00:00:00.000Z' },
    ]);
    const { rows } = await database.owner.query(
      'select read_until <= clock_timestamp() as is_past from fact_progress',
    );
    expect(rows).toEqual([{ is_past: true }]);
  });

  it('what the owner has not told yet is behind, and the comparison waits for it no longer than its time', async () => {
    const untold = '2026-01-01T00:00:10.000Z';
    const fact = { recorded_at: untold };
    // A row of the outbox may hold several facts.
    for (const value of [fact, [fact, { recorded_at: '2026-01-01T00:00:11.000Z' }]]) {
      await database.owner.query(`truncate ${owner}.outbox`);
      await readUntil(`now() + interval '1 minute'`);
      await database.owner.query(`insert into ${owner}.outbox (topic, value) values ($1, $2)`, [
        TOLD.topic,
        JSON.stringify(value),
      ]);
      const asked = await comparedUntil({ wrong: [], behind: 1 }, 100);
      expect(asked).toEqual([Date.parse(untold) - 5_000, Date.parse(untold) - 5_000]);
    }
    await readUntil();
    expect(await comparedUntil({ wrong: [], behind: 1 }, 0)).toEqual([0, 0]);
  });
});
