import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TouchCommand } from '@truetally/contracts/attribution';
import { type JobStepReport } from '@truetally/contracts/jobs';
import { TOPICS } from '@truetally/contracts/topics';
import { isTransient } from '@truetally/persistence';
import { tablesOfSites, walkErasure } from '@truetally/testing-product';
import fc from 'fast-check';
import type { PoolClient } from 'pg';
import type { TouchRequest } from '../domain/decide-touches.js';
import { keepSites } from '../follow-sites/follow-sites.js';
import { matchTouches } from '../match-touches/match-touches.js';
import { checkLedger } from '../testing/check-ledger.js';
import { anAdjustment, aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { siteFact } from '../testing/site-facts.js';
import { aTouch } from '../testing/touches.js';
import { touchErasure } from './touch-erasure.js';

let database: LedgerDatabase;
let replicas: readonly [Replica, Replica];

beforeAll(async () => {
  database = await openLedgerDatabase();
  replicas = [database.replica(), database.replica()];
});

afterAll(() => database.close());

function requestOf(siteId: string, ...touches: readonly TouchCommand[]): TouchRequest {
  const requestId = randomUUID();
  const request = { site_id: siteId, request_id: requestId, touches };
  return { request, correlationId: randomUUID() };
}

const MOST_ROWS = 25;

/** Rows of touches at a few instants, some with a click value, and rows of orders that wait for a touch. */
async function fill(siteId: string, touches: number, awaited: number): Promise<void> {
  await database.owner.query(
    `with made as (
       insert into touches select gen_random_uuid(), $1, n::text, '', 'awin', 'inbound', null, '/', now(), 'browser_sdk',
         null, null, date '2026-01-01' + n % 3, '', '' from generate_series(1, $2::integer) n
       returning id, touch_id)
     insert into click_values select id, 'key', '\\x00' from made where touch_id::integer % 2 = 0`,
    [siteId, touches],
  );
  await database.owner.query(
    `insert into awaited_touches select gen_random_uuid(), gen_random_uuid(), $1, n::text, repeat('x', 2000)
     from generate_series(1, $2::integer) n`,
    [siteId, awaited],
  );
  if (awaited === 0) return;
  await database.owner.query(
    `insert into orders values (gen_random_uuid(), $1, 'order', 0, 'EUR', 'recorded', 1)`,
    [siteId],
  );
}

/** Numbers of rows in each table about visitors, and in the ledger. */
async function rowsOf(siteId: string): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.owner.query<Record<string, number>>(
    `select (select count(*)::integer from touches where site_id = $1) as touches,
       (select count(*)::integer from awaited_touches where site_id = $1) as awaited,
       (select count(*)::integer from records where site_id = $1) as records`,
    [siteId],
  );
  return rows[0] ?? {};
}

async function clickValues(): Promise<number> {
  const { rows } = await database.owner.query<{ n: number }>(
    'select count(*)::integer as n from click_values',
  );
  return rows[0]?.n ?? -1;
}

/** Runs it while another transaction holds the locks of the statement. */
async function holding<T>(
  pool: { connect(): Promise<PoolClient> },
  statement: string,
  work: () => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`begin; ${statement}`);
    return await work();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
}

/** Runs all steps in turn. @returns the sums of their reports */
async function eraseSite(siteId: string): Promise<Pick<JobStepReport, 'found' | 'done'>> {
  const erasure = touchErasure(replicas[0].pool);
  const jobId = randomUUID();
  let [found, done] = [0, 0];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const at: string | null = cursor ?? null;
    const name = `${jobId}/${String(at)}`;
    const report = await untilDone(() => erasure.step(name, siteId, at));
    expect(await erasure.step(name, siteId, at)).toEqual(report);
    found += report.found;
    done += report.done;
    cursor = report.cursor;
  }
  return { found, done };
}

describe('erasing a site', () => {
  it('takes its touches and their click values away, and keeps its ledger, which still proves itself', async () => {
    const [gone, other] = [randomUUID(), randomUUID()];
    const purchase = aPurchase({ touchIds: ['known', 'never comes'] });
    for (const siteId of [gone, other]) {
      await replicas[0].touches.record([requestOf(siteId, aTouch({ touch_id: 'known' }), aTouch())]);
      await replicas[0].ledger.record([itemOf(siteId, purchase)]);
      await replicas[0].ledger.record([itemOf(siteId, anAdjustment({ orderId: purchase.orderId }))]);
    }
    const [chain, clicks] = [await checkLedger(database.owner, gone), await clickValues()];
    expect(await rowsOf(gone)).toEqual({ touches: 2, awaited: 1, records: 2 });
    expect(await eraseSite(gone)).toEqual({ found: 2, done: 2 });
    expect(await rowsOf(gone)).toEqual({ touches: 0, awaited: 0, records: 2 });
    expect(await clickValues()).toBe(clicks - 2);
    expect(await checkLedger(database.owner, gone)).toEqual(chain);
    expect(await rowsOf(other)).toEqual({ touches: 2, awaited: 1, records: 2 });
  });

  it('goes on where the step before ended, also among touches of one instant', async () => {
    const siteId = randomUUID();
    const many = Array.from({ length: 2_500 }, () => aTouch());
    await replicas[0].touches.record([requestOf(siteId, ...many)]);
    await replicas[1].touches.record([requestOf(siteId, ...Array.from({ length: 20 }, () => aTouch()))]);
    expect(await eraseSite(siteId)).toEqual({ found: 2_520, done: 2_520 });
    expect(await rowsOf(siteId)).toMatchObject({ touches: 0 });
  });

  it('the erasure of a site without orders does not look through what others wait for', async () => {
    await fill(randomUUID(), 1, MOST_ROWS);
    const steps = walkErasure(
      touchErasure(replicas[0].pool, { touches: 9, counted: 9, blocks: 1 }),
      randomUUID(),
      9,
    );
    expect((await steps).steps).toBeLessThan(5);
  });

  it('ends with nothing left, whatever number of rows there is and however many go at once', async () => {
    const count = fc.nat(MOST_ROWS);
    const size = fc.integer({ min: 1, max: MOST_ROWS });
    const sizes = fc.record({ touches: size, counted: size, blocks: size });
    await fc.assert(
      fc.asyncProperty(count, count, sizes, async (touches, awaited, some) => {
        const [siteId, other] = [randomUUID(), randomUUID()];
        await fill(siteId, touches, awaited);
        await fill(other, 1, 1);
        // Blocks also contain rows of all earlier sites.
        const walked = await walkErasure(touchErasure(replicas[0].pool, some), siteId, 2_000);
        expect(walked).toMatchObject({ found: touches, done: touches });
        expect(await rowsOf(siteId)).toMatchObject({ touches: 0, awaited: 0 });
        expect(await rowsOf(other)).toMatchObject({ touches: 1, awaited: 1 });
      }),
      {
        numRuns: 20,
        examples: [
          [10, 10, { touches: 10, counted: 5, blocks: 1 }],
          [20, 0, { touches: 10, counted: 20, blocks: 1 }],
        ],
      },
    );
  });
});

describe('a table that is rewritten while a site is erased', () => {
  it('leaves none of its rows, although they are in other blocks now', async () => {
    const [before, gone] = [randomUUID(), randomUUID()];
    await fill(before, 0, 200);
    await fill(gone, 0, 200);
    const sizes = { touches: 10, counted: 10, blocks: 2 };
    let isRewritten = false;
    await walkErasure(touchErasure(replicas[0].pool, sizes), gone, 1_000, async (cursor) => {
      if (isRewritten || !/^awaited\/.*\/(?!0$)\d+$/.test(cursor ?? '')) return;
      await database.owner.query('delete from awaited_touches where site_id = $1', [before]);
      await database.owner.query('vacuum full awaited_touches');
      isRewritten = true;
    });
    expect(isRewritten).toBe(true);
    expect(await rowsOf(gone)).toMatchObject({ awaited: 0 });
  });
});

describe('while a site is erased', () => {
  it('other sites record: the mark is committed before anything is counted', async () => {
    const [gone, other] = [randomUUID(), randomUUID()];
    await replicas[0].touches.record([requestOf(gone, aTouch(), aTouch())]);
    const erasure = touchErasure(replicas[0].pool);
    const jobId = randomUUID();
    const { counted, kinds } = await holding(
      database.owner,
      // Readers of the touches wait, as with a table of tens of millions of rows.
      'lock table touches in access exclusive mode',
      async () => {
        const { cursor } = await erasure.step(`${jobId}/mark`, gone, null);
        const count = erasure.step(`${jobId}/count`, gone, cursor);
        const items = [itemOf(other, aPurchase()), itemOf(gone, aPurchase())];
        const { outcomes } = await replicas[1].ledger.record(items);
        return { counted: count, kinds: outcomes.map(({ kind }) => kind) };
      },
    );
    expect(kinds).toEqual(['accepted', 'refused']);
    expect(await counted).toMatchObject({ found: 2, cursor: expect.stringMatching(/^count\//) });
  });

  it('a long transaction delays only the steps after the mark', async () => {
    const [gone, other] = [randomUUID(), randomUUID()];
    const erasure = touchErasure(replicas[1].pool);
    const [mark, wait] = [randomUUID(), randomUUID()];
    const next = await holding(replicas[0].pool, 'select erasures_seen()', async () => {
      const { cursor } = await erasure.step(mark, gone, null);
      const waiting = erasure.step(wait, gone, cursor);
      await expect(waiting).rejects.toThrow('A transaction lasts');
      const { outcomes } = await replicas[0].ledger.record([itemOf(other, aPurchase())]);
      expect(outcomes).toMatchObject([{ kind: 'accepted' }]);
      return cursor;
    });
    expect(await erasure.step(wait, gone, next)).toMatchObject({ found: 0 });
  });
});

describe('a request in progress when its site is erased', () => {
  it('a touch request during an erasure of its site is refused, and matches nothing', async () => {
    const siteId = randomUUID();
    const purchase = aPurchase({ touchIds: ['touch'] });
    await replicas[0].ledger.record([itemOf(siteId, purchase)]);
    await eraseSite(siteId);
    const [, replica] = replicas;
    const refused = { kind: 'refused', failure: { code: 'UNAUTHORIZED' } };
    const touches = await replica.touches.record([requestOf(siteId, aTouch({ touch_id: 'touch' }))]);
    expect(touches).toMatchObject({ outcomes: [refused], added: [] });
    const later = anAdjustment({ orderId: purchase.orderId });
    const { outcomes } = await replica.ledger.record([
      itemOf(siteId, later),
      itemOf(siteId, purchase),
      { kind: 'match', siteId, orderId: purchase.orderId },
    ]);
    expect(outcomes).toMatchObject([refused, refused, { kind: 'idle' }]);
    const value = JSON.stringify({ site_id: siteId, touch_id: 'touch' });
    const options = { ...replica, relay: { wake: () => undefined } };
    await matchTouches(options, [{ topic: TOPICS.touchesRecorded.name, value }]);
    expect(await checkLedger(database.owner, siteId)).toHaveLength(1);
  });

  it('leaves no touch, whatever several replicas record at the same time', async () => {
    const other = randomUUID();
    let ofOther = 0;
    for (let round = 0; round < 6; round += 1) {
      const siteId = randomUUID();
      let isErasing = true;
      const writers = replicas.map(async ({ touches }) => {
        for (let isLast = false; !isLast;) {
          isLast = !isErasing;
          const requests = [requestOf(siteId, aTouch(), aTouch()), requestOf(other, aTouch())];
          const { outcomes } = await untilDone(() => touches.record(requests));
          ofOther += 1;
          if (isLast) expect(outcomes[0]?.kind).toBe('refused');
        }
      });
      const { found, done } = await eraseSite(siteId);
      expect(done).toBe(found);
      isErasing = false;
      await Promise.all(writers);
      expect(await rowsOf(siteId)).toEqual({ touches: 0, awaited: 0, records: 0 });
    }
    expect(await rowsOf(other)).toMatchObject({ touches: ofOther });
  });
});

describe('an erased site', () => {
  it('gets no row from late requests, rules and facts about itself', async () => {
    const siteId = randomUUID();
    await eraseSite(siteId);
    const [, { ledger, touches, rules, pool }] = replicas;
    await ledger.record([itemOf(siteId, aPurchase()), itemOf(randomUUID(), aPurchase())]);
    await touches.record([requestOf(siteId, aTouch())]);
    await keepSites(pool, [
      siteFact(siteId, { model: 'last_touch', lookbackDays: 30, incarnation: 1, version: 2 }),
    ]);
    const rule = {
      website_id: siteId,
      provider: 'awin',
      partner_id: null,
      type: 'percentage' as const,
      rate: '0.05',
      amount: null,
      currency: null,
      effective_from: '2026-01-01T00:00:00.000Z',
    };
    const by = { workspaceId: randomUUID(), actor: 'user' };
    expect(await rules.keep(randomUUID(), rule, by)).toBeUndefined();
    const tables = await tablesOfSites(database.owner, database.schema);
    const counts = tables.map(
      (table) => `(select count(*)::integer from ${table} where site_id = $1) as ${table}`,
    );
    const { rows } = await database.owner.query(`select ${counts.join(', ')}`, [siteId]);
    expect(rows[0]).toEqual(Object.fromEntries(tables.map((table) => [table, 0])));
  });
});
