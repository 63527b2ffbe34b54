import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssignedSessionFact } from '@truetally/contracts/facts';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import type { Pool } from 'pg';
import type { NamedRecord } from '../fold-facts/read-facts.js';
import {
  assignedFact,
  insertAssignments,
  insertRunning,
  openExperimentDatabase,
  type RunningRow,
  soldRecord,
} from '../testing/experiment-database.js';
import { verifyResults } from '../verify/verify-results.js';
import { FOLD_OPENING, FoldStore } from './fold.store.js';
import { READ_ORDERS } from './order-states.js';
import { TAKE_PENDING } from './record-rows.js';
import { readArms, readHours, readOtherCurrencies, readParts } from './results.store.js';
import { READ_HOURS } from './session-reads.js';

/** On a busy machine, too, one replica waits for the other. */
const PATIENCE_MS = 8_000;

let database: ServiceDatabase;
let pools: readonly Pool[];
let replicas: readonly FoldStore[];

beforeAll(async () => {
  database = await openExperimentDatabase();
  pools = [1, 2].map(() => database.openPool(2));
  replicas = pools.map((pool) => new FoldStore(pool, PATIENCE_MS));
});

afterAll(() => database.close());

type Fact = { readonly assigned: AssignedSessionFact } | { readonly record: NamedRecord };

const ASSIGNED_MS = Date.parse('2026-01-31T09:30:00.000Z');
const HOUR_MS = 3_600_000;
const at = (offsetMs: number): string => new Date(ASSIGNED_MS + offsetMs).toISOString();

/** Facts of some sessions and of their orders; ids are numbers that each run replaces by UUIDs. */
const anyRecord = fc.record({
  session: fc.nat(4),
  order: fc.nat(3),
  sequence: fc.integer({ min: 1, max: 4 }),
  eventType: fc.constantFrom('adjustment', 'cancellation', 'commission'),
  isForeign: fc.boolean(),
  purchasedHours: fc.constantFrom(-1, 0, 5, 500),
  recordedHours: fc.integer({ min: 0, max: 60 }),
  revenue: fc.bigInt({ min: -9_000n, max: 90_000n }),
  margin: fc.option(fc.bigInt({ min: -4_000n, max: 4_000n })),
} as const);
const anyFacts = fc.record({
  sessions: fc.array(fc.constantFrom('control', 'treatment'), { minLength: 3, maxLength: 5 }),
  records: fc.uniqueArray(anyRecord, {
    maxLength: 14,
    selector: ({ session, order, sequence }) => `${session} ${order} ${sequence}`,
  }),
  seeds: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
} as const);
type Facts = typeof anyFacts extends fc.Arbitrary<infer Value> ? Value : never;

function factsOf(row: RunningRow, { sessions, records }: Facts): readonly Fact[] {
  const ids = sessions.map(() => randomUUID());
  const orders = new Map<string, string>();
  const orderOf = (name: string): string => {
    const id = orders.get(name) ?? randomUUID();
    orders.set(name, id);
    return id;
  };
  const assigned = sessions.map((variant, index) => ({
    assigned: assignedFact(row, { assignment_id: ids[index] ?? '', variant, assigned_at: at(index * 1_000) }),
  }));
  const sold = records.map((one) => ({
    record: {
      // Some orders name a session that is never assigned.
      assignmentId: ids[one.session] ?? randomUUID(),
      recordId: randomUUID(),
      siteId: row.siteId,
      conversionId: orderOf(`${one.session} ${one.order}`),
      orderSequence: one.sequence,
      eventType: one.sequence === 1 ? ('purchase' as const) : one.eventType,
      currency: one.isForeign ? 'USD' : 'EUR',
      purchaseOccurredAt: at(one.purchasedHours * HOUR_MS),
      recordedAt: at(one.recordedHours * HOUR_MS),
      revenueDelta: one.revenue,
      marginDelta: one.margin,
      commissionDelta: one.revenue / 10n,
      hasExactMargin: one.order % 2 === 0,
      rule: 'ruled' as const,
    },
  }));
  return [...assigned, ...sold];
}

/** In another order, with repetitions, in batches of different sizes. */
function delivered(facts: readonly Fact[], seeds: readonly number[]): readonly (readonly Fact[])[] {
  const seed = (index: number): number => seeds[index % seeds.length] ?? 0;
  const repeated = [...facts, ...facts.filter((_, index) => seed(index) % 3 === 0)];
  const shuffled = repeated
    .map((fact, index) => ({ fact, place: seed(index * 7 + 1) }))
    .sort((one, other) => one.place - other.place)
    .map(({ fact }) => fact);
  const batches: Fact[][] = [];
  for (let from = 0; from < shuffled.length;) {
    const size = 1 + (seed(from) % 5);
    batches.push(shuffled.slice(from, from + size));
    from += size;
  }
  return batches;
}

const foldedBy = (store: FoldStore | undefined, facts: readonly Fact[]): Promise<unknown> | undefined =>
  store?.fold({
    assigned: facts.flatMap((fact) => ('assigned' in fact ? [fact.assigned] : [])),
    records: facts.flatMap((fact) => ('record' in fact ? [fact.record] : [])),
  });

async function stateOf({ experimentId }: RunningRow): Promise<unknown> {
  const { owner } = database;
  return {
    arms: await readArms(owner, experimentId),
    hours: await readHours(owner, experimentId, 'hour'),
    parts: await readParts(owner, experimentId),
    currencies: await readOtherCurrencies(owner, experimentId),
  };
}

async function expectSound(): Promise<void> {
  const client = await database.owner.connect();
  try {
    expect(await verifyResults(client)).toMatchObject({ fault: null });
  } finally {
    client.release();
  }
}

describe('facts folded into sums', () => {
  it('reordered, repeated and very late ones give the same end state, with two replicas at once', async () => {
    await fc.assert(
      fc.asyncProperty(anyFacts, async (facts) => {
        const [inOrder, anyhow] = [await insertRunning(database), await insertRunning(database)];
        const [ordered, others] = [factsOf(inOrder, facts), factsOf(anyhow, facts)];
        await insertAssignments(
          database,
          [...ordered, ...others].flatMap((fact) => ('assigned' in fact ? [fact.assigned] : [])),
        );
        await foldedBy(replicas[0], ordered);
        const batches = delivered(others, facts.seeds);
        for (let next = 0; next < batches.length; next += 2) {
          await Promise.all([
            foldedBy(replicas[0], batches[next] ?? []),
            foldedBy(replicas[1], batches[next + 1] ?? []),
          ]);
        }
        expect(await stateOf(anyhow)).toEqual(await stateOf(inOrder));
      }),
      { numRuns: 15 },
    );
    await expectSound();
  });

  it('leave no trace of an hour in which a growth was taken back, however they were delivered', async () => {
    const [atOnce, oneByOne] = [await insertRunning(database), await insertRunning(database)];
    for (const [row, size] of [
      [atOnce, 3],
      [oneByOne, 1],
    ] as const) {
      const session = assignedFact(row);
      await insertAssignments(database, [session]);
      const sold = soldRecord(session);
      const commission = (commissionDelta: bigint, orderSequence: number): NamedRecord =>
        soldRecord(session, {
          conversionId: sold.conversionId,
          orderSequence,
          eventType: 'commission',
          recordedAt: at(5 * HOUR_MS),
          revenueDelta: 0n,
          commissionDelta,
        });
      await replicas[0]?.fold({ assigned: [session], records: [] });
      const records = [sold, commission(10n, 2), commission(-10n, 3)];
      for (let from = 0; from < records.length; from += size) {
        await replicas[0]?.fold({ assigned: [], records: records.slice(from, from + size) });
      }
    }
    expect(await stateOf(oneByOne)).toEqual(await stateOf(atOnce));
    expect(await readHours(database.owner, oneByOne.experimentId, 'hour')).toHaveLength(2);
  });

  it('keep their sums exact where doubles would not', async () => {
    const row = await insertRunning(database);
    const sessions = [1, 2, 3].map(() => assignedFact(row, { variant: 'control' }));
    await insertAssignments(database, sessions);
    const amounts = [10n ** 17n, 10n ** 17n + 1n, 10n ** 17n + 2n];
    const records = sessions.map((session, index) =>
      soldRecord(session, { revenueDelta: amounts[index] ?? 0n }),
    );
    await replicas[0]?.fold({ assigned: sessions, records });
    const { control } = await readArms(database.owner, row.experimentId);
    expect(control.revenue).toBe(3n * 10n ** 17n + 3n);
    expect(control.revenue_squares).toBe(3n * 10n ** 34n + 6n * 10n ** 17n + 5n);
    expect(control.revenue_cubes).toBe(amounts.reduce((sum, amount) => sum + amount ** 3n, 0n));
  });

  it('an order of another site, and one that names another’s assignment, change nothing', async () => {
    const [mine, theirs] = [await insertRunning(database), await insertRunning(database)];
    const session = assignedFact(mine);
    const foreign = assignedFact(theirs);
    await insertAssignments(database, [session, foreign]);
    await replicas[0]?.fold({ assigned: [session, foreign], records: [] });
    const record = soldRecord(session, { siteId: theirs.siteId });
    await replicas[0]?.fold({ assigned: [], records: [record] });
    const { treatment } = await readArms(database.owner, mine.experimentId);
    expect([treatment.sessions, treatment.revenue]).toEqual([1n, 0n]);
  });
});

/** An idle connection shows only after ten seconds what it has counted. */
async function showCounts(pool: Pool): Promise<void> {
  const connections = Array.from({ length: pool.totalCount });
  await Promise.all(connections.map(() => pool.query('select pg_stat_force_next_flush()')));
}

/** Rows that a transaction of this pool has fetched by indexes, as Postgres counts them. */
async function fetchedBy(pool: Pool, work: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> => {
    // Of the others, too: what the tests before have read would be counted with this.
    await Promise.all([pool, database.owner, ...pools].map(showCounts));
    const { rows } = await pool.query<{ fetched: number }>(
      `select sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0))::float8 as fetched
       from pg_stat_user_tables where schemaname = current_schema()`,
    );
    return rows[0]?.fetched ?? 0;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

describe('a fact', () => {
  it('costs the same whatever the number of orders of its session, and of records of its order', async () => {
    const pool = database.openPool(1);
    const store = new FoldStore(pool, PATIENCE_MS);
    const row = await insertRunning(database);
    const costs: number[] = [];
    for (const count of [20, 900]) {
      const session = assignedFact(row);
      await insertAssignments(database, [session]);
      const conversionId = randomUUID();
      const adjustment = (orderSequence: number): NamedRecord =>
        soldRecord(session, { conversionId, orderSequence, eventType: 'adjustment', revenueDelta: 1n });
      const orders = Array.from({ length: count }, () => soldRecord(session));
      const adjustments = Array.from({ length: count }, (_, place) => adjustment(place + 2));
      const records = [soldRecord(session, { conversionId }), ...orders, ...adjustments];
      await store.fold({ assigned: [session], records });
      costs.push(
        await fetchedBy(pool, () =>
          store.fold({ assigned: [], records: [soldRecord(session), adjustment(count + 2)] }),
        ),
      );
    }
    const [few = 0, many = 0] = costs;
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThan(few + 10);
    await expectSound();
  });

  it.each([
    ['orders', READ_ORDERS, 'session_orders_pkey'],
    ['hours', READ_HOURS, 'session_hours_pkey'],
    ['waiting records', TAKE_PENDING, 'pending_records_pkey'],
  ])('reads the %s of its session only, however many its site has', async (_, query, index) => {
    const client = await database.owner.connect();
    try {
      await client.query(`begin; ${FOLD_OPENING}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${query}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(index);
      expect(plan).not.toContain('_site');
      expect(plan).not.toContain('Seq Scan');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});
