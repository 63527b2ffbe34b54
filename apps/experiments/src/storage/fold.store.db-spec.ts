import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssignedSessionFact } from '@truetally/contracts/facts';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import type { NamedRecord } from '../fold-facts/read-facts.js';
import {
  assignedFact,
  insertRunning,
  openExperimentDatabase,
  type RunningRow,
  soldRecord,
} from '../testing/experiment-database.js';
import { verifyResults } from '../verify/verify-results.js';
import { FOLD_OPENING, FoldStore } from './fold.store.js';
import { readArms, readHours, readOtherCurrencies, readParts } from './results.store.js';
import { READ_RECORDS } from './session-reads.js';

let database: ServiceDatabase;
let replicas: readonly FoldStore[];

beforeAll(async () => {
  database = await openExperimentDatabase();
  replicas = [1, 2].map(() => new FoldStore(database.openPool(2)));
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
    hours: await readHours(owner, experimentId),
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
        await foldedBy(replicas[0], factsOf(inOrder, facts));
        const batches = delivered(factsOf(anyhow, facts), facts.seeds);
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
    expect(await readHours(database.owner, oneByOne.experimentId)).toHaveLength(2);
  });

  it('keep their sums exact where doubles would not', async () => {
    const row = await insertRunning(database);
    const sessions = [1, 2, 3].map(() => assignedFact(row, { variant: 'control' }));
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
    const [fact] = factsOf(theirs, { sessions: ['control'], records: [], seeds: [] } as unknown as Facts);
    await foldedBy(replicas[0], [{ assigned: session }, ...(fact === undefined ? [] : [fact])]);
    const record = soldRecord(session, { siteId: theirs.siteId });
    await replicas[0]?.fold({ assigned: [], records: [record] });
    const { treatment } = await readArms(database.owner, mine.experimentId);
    expect([treatment.sessions, treatment.revenue]).toEqual([1n, 0n]);
  });
});

describe('the records of some sessions', () => {
  it('are read only by sessions, however many records their site has', async () => {
    const client = await database.owner.connect();
    try {
      await client.query(`begin; ${FOLD_OPENING}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${READ_RECORDS}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('session_records_pkey');
      expect(plan).not.toContain('session_records_site');
      expect(plan).not.toContain('Seq Scan');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('the verification', () => {
  it('reports the first sum, session or record that differs', async () => {
    const row = await insertRunning(database);
    const session = assignedFact(row, { variant: 'control' });
    await replicas[0]?.fold({ assigned: [session], records: [] });
    const client = await database.owner.connect();
    const faultAfter = async (statement: string): Promise<string | null> => {
      await client.query('begin');
      await client.query(statement, [row.experimentId]);
      const { fault } = await verifyResults(client);
      await client.query('rollback');
      return fault;
    };
    try {
      const of = `where experiment_id = $1`;
      expect(await faultAfter(`update arm_sums set revenue = revenue + 1 ${of}`)).toContain(
        `experiment ${row.experimentId}: arm control has revenue 1 instead of 0`,
      );
      expect(await faultAfter(`update hour_sums set sessions = 2 ${of}`)).toContain(
        'has sessions 2 instead of 1',
      );
      expect(await faultAfter(`update session_results set refunds = 1 ${of}`)).toContain(
        `session ${session.assignment_id} has refunds 1 instead of 0`,
      );
      expect(await faultAfter(`update sample_parts set treatment = 1 ${of} and dimension = 'day'`)).toContain(
        'part of the sample day 2026-01-31 has 1/1 instead of 1/0',
      );
    } finally {
      client.release();
    }
    await expectSound();
  });
});
