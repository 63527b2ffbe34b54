import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AcceptedEvent } from '@truetally/contracts/events';
import { isTransient } from '@truetally/persistence';
import { eventually } from '@truetally/testing';
import fc from 'fast-check';
import type { PlacedRequest } from '../domain/placed-request.js';
import type { SettledRequest } from '../domain/settle-requests.js';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest } from '../testing/requests.js';
import { ReconciliationStore } from './reconciliation.store.js';

let database: IngestionDatabase;

beforeAll(async () => {
  database = await openIngestionDatabase();
});

afterAll(() => database.close());

const HOUR_MS = 3_600_000;

/** The hours, counters and rows of every site in one snapshot must balance at any moment. */
async function expectBalance(reconciliation: ReconciliationStore): Promise<number> {
  const nowMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const hours = await reconciliation.page({
    siteId: null,
    fromMs: nowMs - HOUR_MS,
    toMs: nowMs + 2 * HOUR_MS,
    after: null,
    limit: 200,
  });
  for (const hour of hours) {
    expect(hour.stored).toBe(hour.rows);
    expect(hour.received).toBe(hour.stored + hour.deduplicated + hour.failed);
  }
  return hours.reduce((sum, hour) => sum + hour.received, 0);
}

/** Like messaging: conflicting requests are delivered again. */
async function storeUntilDone(replica: Replica, requests: readonly PlacedRequest[]) {
  for (;;) {
    try {
      return await replica.store.store(requests);
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
  }
}

function countNew(settled: readonly SettledRequest[], tally: Map<string, number>): void {
  for (const { request, verdicts } of settled) {
    for (const [index, { verdict }] of verdicts.entries()) {
      const eventId = request.events[index]?.event_id ?? '';
      tally.set(eventId, (tally.get(eventId) ?? 0) + (verdict === 'stored' ? 1 : 0));
    }
  }
}

async function rowsPerEvent(): Promise<number> {
  const { rows } = await database.owner.query<{ most: number }>(
    'select coalesce(max(n), 0)::int as most from (select count(*) as n from events group by event_id)',
  );
  return rows[0]?.most ?? 0;
}

describe('several replicas at once', () => {
  it('store each event once and answer exactly one "stored", however retries interleave', async () => {
    const replicas = [database.replica(), database.replica(), database.replica()];
    const reconciliation = new ReconciliationStore(database.owner);
    const batch = fc.record({
      replica: fc.nat(2),
      requests: fc.array(fc.array(fc.nat(11), { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 9 }), async (batches) => {
        const events = Array.from({ length: 12 }, () => anEvent());
        const tally = new Map<string, number>();
        await Promise.all(
          batches.map(async ({ replica: index, requests }) => {
            const [replica] = replicas.slice(index);
            if (replica === undefined) throw new Error('No such replica.');
            const placed = requests.map((keys) =>
              aRequest(events.filter((_, key) => keys.includes(key)).reverse()),
            );
            countNew(await storeUntilDone(replica, placed), tally);
          }),
        );
        expect([...tally.values()].every((count) => count === 1)).toBe(true);
        expect(await rowsPerEvent()).toBeLessThanOrEqual(1);
        await expectBalance(reconciliation);
      }),
      { numRuns: 25 },
    );
  });

  it('wait for one that is storing the same event, and answer with its time', async () => {
    let collisions = 0;
    const [first, second] = [
      database.replica(),
      database.replica({ observer: { collided: () => (collisions += 1) } }),
    ];
    await first.store.store([aRequest([anEvent()])]);
    const [event, fresh] = [anEvent(), anEvent()];
    const other = await first.pool.connect();
    await other.query('begin');
    const { rows } = await other.query<{ received_at: Date }>('select received_at from open_store()');
    const receivedAt = rows[0]?.received_at;
    await other.query(
      `insert into events values ($1, gen_random_uuid(), 'search', 's', null, null, null, now(), $2, 'server', false,
         'request-1', 0, 0, 1, 'correlation-1', '{}', '{}')`,
      [event.event_id, receivedAt],
    );
    const answer = second.store.store([aRequest([event, fresh])]);
    await eventually(async () => {
      const waiting = await database.owner.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%copy events%'`,
      );
      return waiting.rowCount;
    });
    await other.query('commit');
    other.release();
    const [settled] = await answer;
    expect(settled?.verdicts).toEqual([
      { verdict: 'duplicate', receivedAt: receivedAt?.toISOString() },
      { verdict: 'stored', receivedAt: expect.stringMatching(/Z$/) },
    ]);
    expect(collisions).toBe(1);
    await database.owner.query(`delete from events where request_id = 'request-1'`);
  });

  it('take what is unknown to them for new, and pay one transaction when another replica has stored it', async () => {
    let collisions = 0;
    const [first, second] = [
      database.replica(),
      database.replica({ observer: { collided: () => (collisions += 1) } }),
    ];
    const stored = [anEvent(), anEvent()] as const;
    const verdictsOf = async (replica: Replica, ...events: readonly AcceptedEvent[]) => {
      const [settled] = await replica.store.store([aRequest(events)]);
      return settled?.verdicts;
    };
    const original = await verdictsOf(first, ...stored);
    const [one, other] = original ?? [];
    const [repeated, fresh] = (await verdictsOf(second, stored[0], anEvent())) ?? [];
    expect([repeated, fresh?.verdict]).toEqual([{ ...one, verdict: 'duplicate' }, 'stored']);
    expect(collisions).toBe(1);
    // From now on it looks every event up for a while.
    expect(await verdictsOf(second, stored[1])).toEqual([{ ...other, verdict: 'duplicate' }]);
    expect(collisions).toBe(1);
    const own = anEvent();
    await verdictsOf(first, own);
    expect((await verdictsOf(first, own))?.map(({ verdict }) => verdict)).toEqual(['duplicate']);
  });

  it('never deadlock over batches that overlap in opposite orders', async () => {
    const replicas = [database.replica(), database.replica()];
    const tally = new Map<string, number>();
    for (let round = 0; round < 10; round += 1) {
      const events = Array.from({ length: 200 }, () => anEvent());
      const orders = [events, [...events].reverse(), [...events].reverse(), events];
      await Promise.all(
        orders.map(async (order, index) => {
          const replica = replicas[index % 2];
          if (replica !== undefined) countNew(await replica.store.store([aRequest(order)]), tally);
        }),
      );
    }
    expect([...tally.values()].every((count) => count === 1)).toBe(true);
    expect(tally.size).toBe(2_000);
  });
});

/** A pause between look-up and storing, so that many transactions are in progress when a partition ends. */
const SLOW_STORING = `
  create function be_slow() returns trigger language plpgsql as $$
    begin perform pg_sleep(random() * 0.15); return null; end $$;
  grant execute on function be_slow() to public;
  create trigger be_slow before insert on events for each statement execute function be_slow()`;

/** Of a second each. */
const PARTITIONS = 6;

/** Those that have events. */
async function partitionsIn({ owner }: IngestionDatabase): Promise<number> {
  const { rows } = await owner.query<{ present: number }>(
    'select count(distinct tableoid)::int as present from events',
  );
  return rows[0]?.present ?? 0;
}

describe('a partition boundary', () => {
  it('a partition boundary is never crossed by two of the same event, whatever replicas store at once', async () => {
    const short = await openIngestionDatabase();
    try {
      await short.owner.query(SLOW_STORING);
      const options = { partitionSeconds: 1, windowSeconds: 600 };
      const replicas = [short.replica(options), short.replica(options), short.replica(options)];
      const reconciliation = new ReconciliationStore(short.owner);
      const tally = new Map<string, number>();
      let partitions = 0;
      let events = Array.from({ length: 40 }, () => anEvent());
      const hammer = async (replica: Replica, seed: number): Promise<void> => {
        for (let turn = seed; partitions < PARTITIONS; turn += 1) {
          const some = events.filter((_, index) => (index + turn) % 3 !== 0);
          const placed = [aRequest(turn % 2 === 0 ? some : some.reverse())];
          countNew(await storeUntilDone(replica, placed), tally);
          if (turn % 7 === 0) events = [...events.slice(5), ...Array.from({ length: 5 }, () => anEvent())];
          if (turn % 50 === seed) await replica.filters.makeMissing();
        }
      };
      await Promise.all([
        ...replicas.flatMap((replica, index) => [hammer(replica, index), hammer(replica, index + 10)]),
        (async () => {
          while (partitions < PARTITIONS) {
            await expectBalance(reconciliation);
            partitions = await partitionsIn(short);
          }
        })(),
      ]);
      const { rows } = await short.owner.query<{ events: number; distinct: number }>(
        'select count(*)::int as events, count(distinct event_id)::int as distinct from events',
      );
      expect(rows[0]?.events).toBe(rows[0]?.distinct);
      expect(rows[0]?.events).toBe(tally.size);
      expect([...tally.values()].filter((count) => count !== 1)).toEqual([]);
    } finally {
      await short.close();
    }
  });
});
