import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobStepReport } from '@truetally/contracts/jobs';
import fc from 'fast-check';
import { isTransient } from '@truetally/persistence';
import type { SiteErasure } from '@truetally/service';
import { walkErasure } from '@truetally/testing-product';
import type { PlacedRequest } from '../domain/placed-request.js';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest } from '../testing/requests.js';
import { eventErasure, type EventErasureSizes } from './event-erasure.js';

let database: IngestionDatabase;
let replica: Replica;

beforeAll(async () => {
  database = await openIngestionDatabase();
  replica = database.replica();
});

afterAll(() => database.close());

function requestOf(siteId: string, events: number): PlacedRequest {
  return aRequest(
    Array.from({ length: events }, () => anEvent()),
    { siteId },
  );
}

/** Rows of a site in every table. */
async function rowsOf(siteId: string): Promise<{ readonly events: number; readonly counts: number }> {
  const { rows } = await database.owner.query<{ events: number; counts: number }>(
    `select (select count(*)::integer from events where site_id = $1) as events,
       (select count(*)::integer from event_counts where site_id = $1) as counts`,
    [siteId],
  );
  return rows[0] ?? { events: -1, counts: -1 };
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

/** Runs all steps in turn, each of them `times` times. @returns the sums of the reports */
async function eraseSite(siteId: string, times = 1): Promise<Pick<JobStepReport, 'found' | 'done'>> {
  const erasure = eventErasure(replica.pool);
  const jobId = randomUUID();
  let [found, done] = [0, 0];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const at: string | null = cursor ?? null;
    const ask = (): Promise<JobStepReport> =>
      untilDone(() => erasure.step(`${jobId}/${String(at)}`, siteId, at));
    const reports = await Promise.all(Array.from({ length: times }, ask));
    const [report] = reports;
    if (report === undefined) throw new Error('A step was never asked for.');
    for (const again of reports) expect(again).toEqual(report);
    found += report.found;
    done += report.done;
    cursor = report.cursor;
  }
  return { found, done };
}

describe('erasing a site', () => {
  it('deletes exactly its rows, and reports their number', async () => {
    const [gone, other] = [randomUUID(), randomUUID()];
    await replica.store.store([requestOf(gone, 700), requestOf(other, 300), requestOf(gone, 800)]);
    expect(await eraseSite(gone)).toEqual({ found: 1_500, done: 1_500 });
    expect(await rowsOf(gone)).toEqual({ events: 0, counts: 0 });
    expect(await rowsOf(other)).toEqual({ events: 300, counts: 1 });
  });

  it('answers a step that is asked for again, at the same time too, as it did first', async () => {
    const siteId = randomUUID();
    await replica.store.store([requestOf(siteId, 400)]);
    expect(await eraseSite(siteId, 3)).toEqual({ found: 400, done: 400 });
  });

  it('reads through every partition, also those that are closed', async () => {
    const short = { partitionSeconds: 1 };
    const own = await openIngestionDatabase();
    const siteId = randomUUID();
    try {
      const writer = own.replica(short);
      for (let partitions = 0; partitions < 3;) {
        await untilDone(() => writer.store.store([requestOf(siteId, 50)]));
        const { rows } = await own.owner.query<{ partitions: number }>(
          'select count(distinct tableoid)::integer as partitions from events',
        );
        partitions = rows[0]?.partitions ?? 0;
      }
      const erasure = eventErasure(writer.pool);
      // A site without events costs three pieces: the mark, the sum, the counters.
      expect((await walkErasure(erasure, randomUUID(), 10)).steps).toBeLessThanOrEqual(3);
      let cursor: string | null = null;
      let steps = 0;
      do {
        const report: JobStepReport = await erasure.step(`${siteId}/${steps}`, siteId, cursor);
        cursor = report.cursor;
        steps += 1;
      } while (cursor !== null);
      const { rowCount } = await own.owner.query('select from events');
      expect(rowCount).toBe(0);
      expect(steps).toBeGreaterThan(3);
    } finally {
      await own.close();
    }
  });

  it('goes on in a partition where the step before ended', async () => {
    const [siteId, other] = [randomUUID(), randomUUID()];
    const wide = 'x'.repeat(30_000);
    const large = Array.from({ length: 400 }, () =>
      // Random text is not compressed, so that a row fills several blocks of its own.
      anEvent({ properties: JSON.stringify({ wide: wide + randomUUID() }) }),
    );
    await replica.store.store([aRequest(large, { siteId }), requestOf(other, 10)]);
    await database.owner.query(
      `insert into events select gen_random_uuid(), site_id, repeat('s', 1000), session_id, user_id, device_id,
         client_event_id, occurred_at, received_at, trust, is_bot, request_id, request_partition, request_offset,
         content_hash, correlation_id, '{}', '{}' from events, generate_series(1, 60) where site_id = $1`,
      [siteId],
    );
    const before = await rowsOf(siteId);
    const { done } = await eraseSite(siteId);
    expect(done).toBe(before.events);
    expect(done).toBeGreaterThan(20_000);
    expect(await rowsOf(siteId)).toEqual({ events: 0, counts: 0 });
    expect(await rowsOf(other)).toEqual({ events: 10, counts: 1 });
  });
});

describe('a partition that is rewritten while a site is erased', () => {
  it('leaves none of its rows, although they are in other blocks now', async () => {
    const own = await openIngestionDatabase();
    const [before, gone] = [randomUUID(), randomUUID()];
    try {
      const { store, pool } = own.replica();
      const wide = anEvent({ properties: JSON.stringify({ wide: 'x'.repeat(1_500) }) });
      for (const siteId of [before, gone]) {
        await store.store([
          aRequest(
            Array.from({ length: 400 }, () => ({ ...wide, ...anEvent() })),
            { siteId },
          ),
        ]);
      }
      let isRewritten = false;
      const sizes = { blocks: 2, counts: 10 };
      await walkErasure(eventErasure(pool, sizes), gone, 10_000, async (cursor) => {
        if (isRewritten || !/^events\/.*\/\d+\/(?!0$)\d+$/.test(cursor ?? '')) return;
        await own.owner.query('delete from events where site_id = $1', [before]);
        const { rows } = await own.owner.query<{ name: string }>(
          'select distinct tableoid::regclass as name from events',
        );
        for (const { name } of rows) await own.owner.query(`vacuum full ${name}`);
        isRewritten = true;
      });
      expect(isRewritten).toBe(true);
      expect((await own.owner.query('select from events')).rowCount).toBe(0);
    } finally {
      await own.close();
    }
  });
});

/** As many hours as counters are needed, each with one connection. */
const ADD_COUNTS = `
  insert into event_counts (site_id, hour, writer, received, stored, deduplicated, failed)
  select $1, '2026-01-01'::timestamptz + make_interval(hours => n), n % 3, 0, 0, 0, 0 from generate_series(1, $2) n`;

describe('erasing the counters of a site', () => {
  it('ends after as many steps as there are pieces, however many there are', async () => {
    const stepsOf = async (counters: number, sizes?: EventErasureSizes): Promise<number> => {
      const siteId = randomUUID();
      await database.owner.query(ADD_COUNTS, [siteId, counters]);
      const cursors = await cursorsOf(eventErasure(replica.pool, sizes), siteId, null);
      expect(new Set(cursors).size).toBe(cursors.length);
      expect(await rowsOf(siteId)).toEqual({ events: 0, counts: 0 });
      return cursors.filter((cursor) => cursor?.startsWith('counts')).length;
    };
    const count = fc.oneof(fc.constantFrom(0, 1, 99, 100, 101, 200, 300), fc.nat(350));
    await fc.assert(
      fc.asyncProperty(count, async (counters) => {
        expect(await stepsOf(counters, { blocks: 2_048, counts: 100 })).toBe(Math.floor(counters / 100) + 1);
      }),
      { numRuns: 6, examples: [[100], [300]] },
    );
    // As many at a time as the service takes.
    expect([await stepsOf(9_999), await stepsOf(10_000)]).toEqual([1, 2]);
  });

  it('ends with nothing left of any table, however much goes at once', async () => {
    const size = fc.integer({ min: 1, max: 30 });
    const sizes = fc.record({ blocks: size, counts: size });
    // The blocks of what the tests before have erased are thousands, until Postgres vacuums them.
    await database.owner.query('truncate events');
    const other = randomUUID();
    await replica.store.store([requestOf(other, 200)]);
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.nat(60), sizes, async (events, counters, some) => {
        const siteId = randomUUID();
        await replica.store.store([requestOf(siteId, events)]);
        await database.owner.query(ADD_COUNTS, [siteId, counters]);
        // Blocks also contain rows of the other site, and what was erased of earlier ones.
        const walked = await walkErasure(eventErasure(replica.pool, some), siteId, 10_000);
        expect(walked).toMatchObject({ found: events, done: events });
        expect(await rowsOf(siteId)).toEqual({ events: 0, counts: 0 });
      }),
      { numRuns: 6, examples: [[20, 19, { blocks: 1, counts: 10 }]] },
    );
    expect(await rowsOf(other)).toEqual({ events: 200, counts: 1 });
  });
});

/** The reports of all steps from one cursor to the end. @throws beyond any sensible number of steps */
async function cursorsOf(
  erasure: SiteErasure,
  siteId: string,
  from: string | null,
): Promise<readonly (string | null)[]> {
  const cursors: (string | null)[] = [];
  let cursor = from;
  do {
    const at = cursor;
    ({ cursor } = await untilDone(() => erasure.step(`${siteId}/${String(at)}`, siteId, at)));
    cursors.push(cursor);
    if (cursors.length > MAX_STEPS) throw new Error(`It does not end: ${cursors.slice(-3).join(', ')}.`);
  } while (cursor !== null);
  return cursors;
}

const MAX_STEPS = 100;

describe('a request in progress when its site is erased', () => {
  it('a request for a site is refused once its erasure has begun, on any replica', async () => {
    const [siteId, other] = [randomUUID(), randomUUID()];
    await replica.store.store([requestOf(siteId, 1)]);
    await eraseSite(siteId);
    const settled = await database.replica().store.store([requestOf(siteId, 3), requestOf(other, 2)]);
    expect(settled.map(({ isErased, storedRows }) => [isErased, storedRows])).toEqual([
      [true, 0],
      [false, 2],
    ]);
    expect(await rowsOf(siteId)).toEqual({ events: 0, counts: 0 });
  });

  it('leaves no row, whatever several replicas store at the same time', async () => {
    const replicas = [replica, database.replica(), database.replica()];
    const other = randomUUID();
    let ofOther = 0;
    for (let round = 0; round < 8; round += 1) {
      const siteId = randomUUID();
      let isErasing = true;
      const refused = new Set<number>();
      const writers = replicas.map(async ({ store }, index) => {
        for (let isLast = false; !isLast;) {
          isLast = !isErasing;
          const settled = await untilDone(() => store.store([requestOf(siteId, 5), requestOf(other, 1)]));
          ofOther += settled[1]?.storedRows ?? 0;
          if (settled[0]?.isErased === true) refused.add(index);
        }
      });
      const erased = await eraseSite(siteId);
      expect(erased.done).toBe(erased.found);
      isErasing = false;
      await Promise.all(writers);
      expect(await rowsOf(siteId)).toEqual({ events: 0, counts: 0 });
      expect(refused.size).toBe(replicas.length);
    }
    expect((await rowsOf(other)).events).toBe(ofOther);
  });
});
