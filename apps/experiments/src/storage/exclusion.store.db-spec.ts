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
import { beginRound } from './exclusion-rounds.js';
import { ExclusionStore } from './exclusion.store.js';
import { FoldStore } from './fold.store.js';
import { nextTurns } from './next-turns.js';
import { readArms, readHours, readOtherCurrencies, readParts } from './results.store.js';

let database: ServiceDatabase;
let pool: Pool;
let folding: FoldStore;
let exclusions: ExclusionStore;

beforeAll(async () => {
  database = await openExperimentDatabase();
  pool = database.openPool(2);
  folding = new FoldStore(pool);
  exclusions = new ExclusionStore(pool);
});

afterAll(() => database.close());

/** Assigned sessions of an experiment, by the letter of their network; `-` is a network that nobody knows. */
async function assign(row: RunningRow, networks: string): Promise<readonly AssignedSessionFact[]> {
  const facts = [...networks].map((_, n) =>
    assignedFact(row, { variant: n % 2 === 0 ? 'control' : 'treatment' }),
  );
  await insertAssignments(database, facts);
  for (const [n, network] of [...networks].entries()) {
    if (network === '-') continue;
    await database.owner.query('update assignments set network = $2 where assignment_id = $1', [
      facts[n]?.assignment_id,
      Buffer.from(network),
    ]);
  }
  return facts;
}

async function setRule({ experimentId, siteId }: RunningRow, most: number | null): Promise<void> {
  const client = await database.owner.connect();
  try {
    await client.query('update experiments set sessions_per_network = $2 where experiment_id = $1', [
      experimentId,
      most,
    ]);
    await beginRound(client, { id: experimentId, site_id: siteId });
  } finally {
    client.release();
  }
}

/** Terminates: a round has an end, and no session is new. */
async function takeAll(): Promise<void> {
  await database.owner.query(`update exclusion_rounds set next_at = now() where next_at < 'infinity'`);
  for (let next = await nextTurns(pool); next.round !== undefined; next = await nextTurns(pool))
    await exclusions.takePiece(next.round);
}

async function resultsOf({ experimentId }: RunningRow): Promise<object> {
  const parts = await readParts(pool, experimentId);
  return {
    arms: await readArms(pool, experimentId),
    hours: await readHours(pool, experimentId, 'hour'),
    currencies: await readOtherCurrencies(pool, experimentId),
    parts: parts.filter(({ dimension }) => dimension !== 'excluded'),
  };
}

async function excludedOf({ experimentId }: RunningRow): Promise<object | undefined> {
  const parts = await readParts(pool, experimentId);
  return parts.find(({ dimension }) => dimension === 'excluded')?.observed;
}

async function expectSound(): Promise<void> {
  const client = await database.owner.connect();
  try {
    expect((await verifyResults(client)).fault).toBeNull();
  } finally {
    client.release();
  }
}

const anyRecord = fc.record({
  session: fc.nat(5),
  order: fc.nat(1),
  currency: fc.constantFrom('EUR', 'USD'),
  purchasedHours: fc.constantFrom(1, 500),
  recordedHours: fc.integer({ min: 0, max: 4 }),
  revenueDelta: fc.bigInt({ min: 0n, max: 9_000n }),
  isBefore: fc.boolean(),
});
const MS_PER_HOUR = 3_600_000;

function recordsOf(
  sessions: readonly AssignedSessionFact[],
  given: readonly (typeof anyRecord extends fc.Arbitrary<infer Value> ? Value : never)[],
): readonly (NamedRecord & { readonly isBefore: boolean })[] {
  return given.flatMap(({ session, order, purchasedHours, recordedHours, ...fields }) => {
    const fact = sessions[session];
    if (fact === undefined) return [];
    const after = (hours: number) =>
      new Date(Date.parse(fact.assigned_at) + hours * MS_PER_HOUR).toISOString();
    const conversionId = `00000000-0000-4000-8000-00000000${session}00${order}`;
    const named = {
      conversionId,
      purchaseOccurredAt: after(purchasedHours),
      recordedAt: after(recordedHours),
    };
    return [{ ...soldRecord(fact, { ...fields, ...named }), isBefore: fields.isBefore }];
  });
}

describe('sessions that an experiment excludes (interface page, section 7)', () => {
  it('excluded sessions leave the results as if they had never been assigned, whenever their orders come, and the rule is undone whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyRecord, { maxLength: 8, selector: ({ session, order }) => `${session} ${order}` }),
        async (given) => {
          const [row, without, whole] = [
            await insertRunning(database),
            await insertRunning(database),
            await insertRunning(database),
          ];
          const sessions = await assign(row, 'aaabb-');
          const records = recordsOf(sessions, given);
          await folding.fold({ assigned: sessions, records: records.filter(({ isBefore }) => isBefore) });
          await setRule(row, 2);
          await takeAll();
          await folding.fold({ assigned: [], records: records.filter(({ isBefore }) => !isBefore) });
          expect(await excludedOf(row)).toEqual({ control: 2, treatment: 1 });
          await expectSound();
          const copies = async (to: RunningRow, from: number): Promise<void> => {
            const kept = sessions.slice(from).map((fact) => ({
              ...fact,
              experiment_id: to.experimentId,
              site_id: to.siteId,
              assignment_id: randomUUID(),
            }));
            await insertAssignments(database, kept);
            const named = new Map(kept.map((fact, n) => [sessions[from + n]?.assignment_id, fact]));
            const own = records.flatMap((one) => {
              const fact = named.get(one.assignmentId);
              return fact === undefined
                ? []
                : [{ ...one, assignmentId: fact.assignment_id, siteId: to.siteId, recordId: randomUUID() }];
            });
            await folding.fold({ assigned: kept, records: own });
          };
          await copies(without, 3);
          expect(await resultsOf(row)).toEqual(await resultsOf(without));
          await setRule(row, null);
          await takeAll();
          await copies(whole, 0);
          expect(await resultsOf(row)).toEqual(await resultsOf(whole));
          expect(await excludedOf(row)).toEqual({ control: 0, treatment: 0 });
          await expectSound();
        },
      ),
      { numRuns: 12 },
    );
  });

  it('excluded sessions are those of a network that grows beyond the rule, and all later ones of it', async () => {
    const row = await insertRunning(database);
    await setRule(row, 2);
    await folding.fold({ assigned: await assign(row, 'aab'), records: [] });
    await takeAll();
    expect(await excludedOf(row)).toBeUndefined();
    await folding.fold({ assigned: await assign(row, 'ab'), records: [] });
    await takeAll();
    expect(await excludedOf(row)).toEqual({ control: 2, treatment: 1 });
    await folding.fold({ assigned: await assign(row, 'a'), records: [] });
    await takeAll();
    expect(await excludedOf(row)).toEqual({ control: 3, treatment: 1 });
    await expectSound();
  });

  it('sessions are excluded before they count, when the rule sees them first', async () => {
    const row = await insertRunning(database);
    const sessions = await assign(row, 'aaa');
    await setRule(row, 1);
    await takeAll();
    await folding.fold({ assigned: sessions, records: sessions.map((fact) => soldRecord(fact)) });
    expect(await excludedOf(row)).toEqual({ control: 2, treatment: 1 });
    expect((await readArms(pool, row.experimentId)).control.revenue).toBe(0n);
    await expectSound();
  });

  it('sessions stay excluded when some of their network are forgotten, and a looser rule readmits the others', async () => {
    const row = await insertRunning(database);
    const sessions = await assign(row, 'aaa');
    await folding.fold({ assigned: sessions, records: [] });
    await setRule(row, 2);
    await takeAll();
    await database.owner.query('select forget_sessions($1, $2)', [row.siteId, [sessions[0]?.assignment_id]]);
    await folding.fold({ assigned: await assign(row, 'b'), records: [] });
    await takeAll();
    expect(await excludedOf(row)).toEqual({ control: 2, treatment: 1 });
    await setRule(row, 3);
    await takeAll();
    expect(await excludedOf(row)).toEqual({ control: 1, treatment: 0 });
    await expectSound();
  });

  it('sessions that count although a rule excludes them are found by the verification, and the other way round', async () => {
    const row = await insertRunning(database);
    await folding.fold({ assigned: await assign(row, 'aaa'), records: [] });
    await setRule(row, 2);
    await takeAll();
    const client = await database.owner.connect();
    try {
      await client.query('begin');
      await client.query('update experiments set sessions_per_network = 3 where experiment_id = $1', [
        row.experimentId,
      ]);
      expect((await verifyResults(client)).fault).toContain('is excluded, and its network has at most 3');
      await client.query('rollback');
      const other = await insertRunning(database);
      await folding.fold({ assigned: await assign(other, 'aaa'), records: [] });
      await client.query('begin');
      await client.query('update experiments set sessions_per_network = 2 where experiment_id = $1', [
        other.experimentId,
      ]);
      await client.query(
        `insert into exclusion_rounds (experiment_id, site_id, checked_until, next_at) values ($1, $2, now(), 'infinity')`,
        [other.experimentId, other.siteId],
      );
      expect((await verifyResults(client)).fault).toContain('counts, and its network has more than 2');
      await client.query('rollback');
    } finally {
      client.release();
    }
  });
});
