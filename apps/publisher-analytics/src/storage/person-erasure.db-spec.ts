import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import type { SettlementVersion } from '../domain/decide-settlement.js';
import type { OfferedSettlement } from '../domain/decide-settlements.js';
import { settlementIdOf } from '../domain/names.js';
import type { ClickFact } from '../domain/report-changes.js';
import { erasureOf, openPublisherDatabase, PublisherReplica } from '../testing/publisher-database.js';
import { clickFact } from '../testing/click-fact.js';
import { verifyReports } from '../verify-reports/verify-reports.js';
import type { ClickStore } from './click.store.js';
import { referenceErasure } from './person-erasure.js';
import { sitesWithParked } from './parked-clicks.js';
import { SettlementReads } from './settlement-reads.js';
import { type Kept, SettlementStore } from './settlement.store.js';
import { SiteScopes } from './site-scope.js';

/** As of other tables: with this in their text they would lead from the reference to the click. */
const TABLES = ['click_references', 'settlements', 'settlement_states', 'clicks'];

let database: ServiceDatabase;
let pool: Pool;
let clicks: ClickStore;
let siteId: string;
/** Of the reference, which is another one for each test's site. */
let hash: string;

beforeAll(async () => {
  database = await openPublisherDatabase();
  pool = database.openPool(2);
  clicks = PublisherReplica.clicksOf(pool, 'UTC');
});

afterAll(() => database.close());

function begin(): void {
  siteId = randomUUID();
  hash = siteId.replaceAll('-', '').repeat(2);
}

function clickOf(contentId: string, hour = 12, provider = 'awin'): ClickFact {
  return clickFact({
    provider,
    eventId: randomUUID(),
    siteId,
    occurredAt: '2026-03-09T12:00:00.000Z',
    receivedAt: `2026-03-09T${hour}:00:00.000Z`,
    contentId,
  });
}

const sealedOf = ({ eventId }: ClickFact): Buffer => Buffer.from(`sealed for ${eventId}`);

const referenceOf = (click: ClickFact) => {
  return { eventId: click.eventId, siteId, hash, keyId: 'test', sealed: sealedOf(click) };
};

async function tell(click: ClickFact): Promise<void> {
  await clicks.record({ clicks: [click], references: [referenceOf(click)] });
}

async function settle(
  status: SettlementVersion['status'],
  day: number,
  provider = 'awin',
): Promise<Kept | undefined> {
  const version: OfferedSettlement['version'] = {
    settlementId: settlementIdOf(siteId, provider, '1'),
    siteId,
    provider,
    providerTransactionId: '1',
    orderReference: null,
    referenceHash: hash,
    status,
    currency: 'EUR',
    commissionable: 10_000n,
    commission: 500n,
    transactionAt: '2026-03-09T13:00:00.000000Z',
    updatedAt: `2026-03-${day}T00:00:00.000000Z`,
  };
  return inTransaction(pool, async (client) => {
    const recording = await new SettlementStore(new SiteScopes(() => 'UTC')).begin(client, siteId);
    const [kept] = await recording.record([{ version, isChangeTimed: true }]);
    await recording.finish();
    return kept;
  });
}

/** Of the day: clicks, matched settlements, and the commission of each content. */
async function report(): Promise<readonly unknown[]> {
  const totals = await database.owner.query<{ clicks: string; matched: string }>(
    `select sum(clicks) as clicks, sum(matched) as matched from report_totals
     where site_id = $1 and level = 'day'`,
    [siteId],
  );
  const items = await database.owner.query<{ name: string; commission: string }>(
    `select name, sum(commission) as commission from report_items join report_names using (item_id)
     where report_items.site_id = $1 and level = 'day' and kind = 'content' group by name order by name`,
    [siteId],
  );
  const { clicks: counted, matched } = totals.rows[0] ?? {};
  return [counted, matched, items.rows.map(({ name, commission }) => `${name} ${commission}`)];
}

async function erase(click: ClickFact): Promise<number> {
  return (await referenceErasure(pool).step(erasureOf(siteId, [click.eventId]))).done;
}

async function tablesWith(text: string): Promise<readonly string[]> {
  const { rows } = await database.owner.query<{ name: string }>(
    TABLES.map(
      (name) => `select '${name}' as name where exists (select from ${name} t where strpos(t::text, $1) > 0)`,
    ).join(' union all '),
    [text],
  );
  return rows.map(({ name }) => name);
}

describe('erasing the person of a click', () => {
  it('an erased click keeps its settlement, from which later states are subtracted, and none is counted twice', async () => {
    begin();
    const [first, replay] = [clickOf('article'), clickOf('replay', 13)];
    for (const click of [first, replay]) await tell(click);
    for (const day of [10, 11]) await settle('pending', day);
    const before = ['2', '1', ['article 500', 'replay 0']];
    expect(await report()).toEqual(before);
    expect(await tablesWith(hash)).toEqual(['click_references', 'settlements', 'settlement_states']);
    expect([await erase(first), await erase(first)]).toEqual([1, 0]);
    expect([await report(), await tablesWith(hash)]).toEqual([before, []]);
    for (const click of [first, replay])
      expect(await tablesWith(sealedOf(click).toString('hex'))).toEqual([]);
    // A message that Kafka delivers once more.
    await tell(first);
    // And the network's file once more.
    expect([await settle('pending', 10), await settle('pending', 11)]).toEqual(['kept', 'kept']);
    expect([await report(), await tablesWith(hash)]).toEqual([before, []]);
    await settle('declined', 12);
    expect(await report()).toEqual(['2', '1', ['article 0', 'replay 0']]);
    const reads = new SettlementReads(pool);
    expect(await reads.named([{ site_id: siteId, hash }])).toBeUndefined();
    expect((await verifyReports(database.owner)).differences).toEqual([]);
  });

  it('a person who repeated the reference of another’s click takes it from nobody', async () => {
    begin();
    const [first, replay] = [clickOf('article'), clickOf('replay', 13)];
    for (const click of [first, replay]) await tell(click);
    expect([await erase(replay), await erase(replay)]).toEqual([1, 0]);
    expect(await tablesWith(sealedOf(replay).toString('hex'))).toEqual([]);
    expect(await tablesWith(sealedOf(first).toString('hex'))).toEqual(['click_references']);
    expect(await report()).toEqual(['2', '0', ['article 0', 'replay 0']]);
    await tell(clickOf('later', 14));
    await settle('pending', 10);
    const after = ['3', '1', ['article 500', 'later 0', 'replay 0']];
    expect([await report(), await tablesWith(hash)]).toEqual([after, ['click_references', 'settlements']]);
    expect((await verifyReports(database.owner)).differences).toEqual([]);
    expect([await erase(first), await report(), await tablesWith(hash)]).toEqual([1, after, []]);
    expect((await verifyReports(database.owner)).differences).toEqual([]);
  });

  it('a person whose reference another used with another network takes it from nobody', async () => {
    begin();
    const [own, other] = [clickOf('article'), clickOf('other', 13, 'cj')];
    for (const click of [own, other]) await tell(click);
    for (const provider of ['awin', 'cj']) for (const day of [10, 11]) await settle('pending', day, provider);
    const before = ['2', '2', ['article 500', 'other 500']];
    expect([await erase(own), await report()]).toEqual([1, before]);
    expect(await tablesWith(sealedOf(own).toString('hex'))).toEqual([]);
    expect(await tablesWith(sealedOf(other).toString('hex'))).toEqual(['click_references']);
    const { rows } = await database.owner.query<{ provider: string; is_named: boolean }>(
      `select provider, bool_and(state.reference_hash = $2) as is_named
       from settlements s join settlement_states state using (settlement_id)
       where site_id = $1 and (s.reference_hash = $2) = (state.reference_hash = $2) group by 1 order by 1`,
      [siteId, Buffer.from(hash, 'hex')],
    );
    expect(rows).toEqual([
      { provider: 'awin', is_named: false },
      { provider: 'cj', is_named: true },
    ]);
    // The other's next sale finds its click.
    await settle('approved', 12, 'cj');
    expect(await report()).toEqual(before);
    expect((await verifyReports(database.owner)).differences).toEqual([]);
    expect([await erase(other), await report(), await tablesWith(hash)]).toEqual([1, before, []]);
  });

  it('a reference that is repeated without end is erased in pieces of any processes, and what is told meanwhile waits', async () => {
    begin();
    const all = Array.from({ length: 16 }, (_, index) =>
      clickOf(index === 0 ? 'article' : 'replay', Math.min(12 + index, 22)),
    );
    for (const click of all) await tell(click);
    for (const day of [10, 11]) await settle('pending', day);
    const before = await report();
    const asked = erasureOf(siteId, [all[0]?.eventId ?? '']);
    /** By a process of its own: whoever was killed between two pieces has left nothing but rows. */
    const tried = async () =>
      referenceErasure(database.openPool(1), 1).step({ ...asked, cursor: 'event:before' });
    await expect(tried()).rejects.toThrow('are still being erased');
    expect(await tablesWith(hash)).toContain('click_references');
    const meanwhile = clickOf('later', 23);
    expect(await clicks.record({ clicks: [meanwhile], references: [referenceOf(meanwhile)] })).toBe(true);
    await expect(clicks.countParked(siteId)).rejects.toThrow('are being erased');
    await expect(settle('approved', 12)).rejects.toThrow('are being erased');
    expect([await sitesWithParked(pool), await report()]).toEqual([[], before]);
    expect((await verifyReports(database.owner)).differences).toEqual([]);
    // The cursor, which is the asker's, is kept by nobody here: what it erases is what it names.
    expect(await tried()).toMatchObject({ cursor: null, found: 1, done: 1 });
    expect([await tablesWith(hash), await report()]).toEqual([[], before]);
    await clicks.countParked(siteId);
    await settle('declined', 13);
    expect(await report()).toEqual(['17', '1', ['article 0', 'later 0', 'replay 0']]);
    expect((await verifyReports(database.owner)).differences).toEqual([]);
  });

  it('a piece reads no more rows than it may, also of what another network was told with the same text, and each once', async () => {
    begin();
    const others = Array.from({ length: 5 }, () => clickOf('other', 13, 'cj'));
    const own = Array.from({ length: 3 }, (_, index) =>
      clickOf(index === 0 ? 'article' : 'replay', 14 + index),
    );
    for (const click of [...others, ...own]) await tell(click);
    // A bot’s reference is not counted.
    const bot = { ...clickOf('bot', 15), isBot: true };
    await tell(bot);
    const before = await report();
    await database.owner.query('select begin_reference_erasure($1, $2)', [siteId, [own[0]?.eventId]]);
    const named: number[] = [];
    for (let areLeft = true; areLeft && named.length < 10;) {
      const { rows } = await pool.query<{ left: boolean }>('select erase_some_references($1, 2) as left', [
        siteId,
      ]);
      areLeft = rows[0]?.left === true;
      const { rowCount } = await pool.query('select from click_references where hash = $1', [
        Buffer.from(hash, 'hex'),
      ]);
      named.push(rowCount ?? -1);
    }
    expect(named).toEqual([9, 9, 8, 6, 5]);
    expect([await tablesWith(hash), await report()]).toEqual([['click_references'], before]);
  });

  it('a click that names an erased reference later is another one, and gets nothing of its settlements', async () => {
    begin();
    const first = clickOf('article');
    await tell(first);
    await settle('approved', 10);
    await erase(first);
    await tell(clickOf('later', 13));
    await settle('approved', 11);
    expect(await report()).toEqual(['2', '1', ['article 500', 'later 0']]);
    expect((await verifyReports(database.owner)).differences).toEqual([]);
  });

  it('a reference that comes after the erasure of its click is not stored, and counts nothing', async () => {
    begin();
    const click = clickOf('article');
    await clicks.record({ clicks: [click], references: [] });
    expect(await erase(click)).toBe(0);
    await clicks.record({ clicks: [], references: [referenceOf(click)] });
    expect([await report(), await tablesWith(click.eventId)]).toEqual([
      [null, null, []],
      ['click_references', 'clicks'],
    ]);
    expect(await tablesWith(sealedOf(click).toString('hex'))).toEqual([]);
    expect((await verifyReports(database.owner)).differences).toEqual([]);
  });
});
