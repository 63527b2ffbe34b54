import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssignedSessionFact } from '@truetally/contracts/facts';
import { eventually } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import pg, { type Pool } from 'pg';
import { ExclusionStore } from '../storage/exclusion.store.js';
import { FoldStore } from '../storage/fold.store.js';
import { nextTurns } from '../storage/next-turns.js';
import { postponeSite } from '../storage/pending-sessions.js';
import { readArms } from '../storage/results.store.js';
import {
  assignedFact,
  insertAssignments,
  insertRunning,
  openExperimentDatabase,
  type RunningRow,
  soldRecord,
} from '../testing/experiment-database.js';
import { verifyResults } from '../verify/verify-results.js';
import { FairFold } from './fair-fold.js';
import { foldPending } from './fold-pending.js';
import type { NamedRecord } from './read-facts.js';
import { SHARE_OF_SITE } from './share-out.js';

const SILENT = { warn: () => undefined };
const PATIENCE = { timeoutMs: 240_000 };
/** More than one transaction of the background takes. */
const MANY = 1_200;
const HOUR_MS = 3_600_000;

let database: ServiceDatabase;
let pool: Pool;
let store: FoldStore;

beforeAll(async () => {
  database = await openExperimentDatabase();
  pool = database.openPool(4);
  store = new FoldStore(pool);
});

afterAll(() => database.close());

/** Folds everything that waits, as the background does; postponed sites at once. */
async function foldAll(): Promise<void> {
  await database.owner.query('update sites_to_fold set next_at = now()');
  for (let next = await nextTurns(pool); next.siteId !== undefined; next = await nextTurns(pool))
    await store.foldPending(next.siteId);
}

async function revenueOf({
  experimentId,
}: RunningRow): Promise<readonly [sessions: bigint, revenue: bigint]> {
  const { control, treatment } = await readArms(database.owner, experimentId);
  return [control.sessions + treatment.sessions, control.revenue + treatment.revenue];
}

async function expectSound(): Promise<void> {
  const client = await database.owner.connect();
  try {
    expect(await verifyResults(client)).toMatchObject({ fault: null, waiting: 0, unfolded: 0 });
  } finally {
    client.release();
  }
}

async function assignedIn(row: RunningRow): Promise<AssignedSessionFact> {
  const session = assignedFact(row);
  await insertAssignments(database, [session]);
  return session;
}

/** Orders of a session, each with adjustments over some hours. */
function ordersOf(session: AssignedSessionFact, count: number): readonly NamedRecord[] {
  const ids = Array.from({ length: 20 }, () => randomUUID());
  return Array.from({ length: count }, (_, place) =>
    soldRecord(session, {
      conversionId: ids[place % ids.length] ?? '',
      orderSequence: 1 + Math.floor(place / ids.length),
      eventType: place < ids.length ? 'purchase' : 'adjustment',
      recordedAt: new Date(Date.parse('2026-01-31T10:30:00Z') + (place % 7) * HOUR_MS).toISOString(),
      revenueDelta: 10n,
    }),
  );
}

/** Another transaction folds this site, or drops its flags, and does not end before the work does. */
async function whileHeld<T>(
  { siteId }: RunningRow,
  work: (pid: number) => Promise<T>,
  what = 'fold',
): Promise<T> {
  const client = await database.owner.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ pid: number }>(
      `select pg_backend_pid() as pid, pg_advisory_xact_lock(hashtextextended('${database.schema} ${what} ' || $1, 0))`,
      [siteId],
    );
    return await work(rows[0]?.pid ?? 0);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('the facts of a site that cannot be folded in time', () => {
  it('facts that cannot be folded are set aside alone: other sites count at once', async () => {
    const [stuck, other] = [await insertRunning(database), await insertRunning(database)];
    const [slow, quick] = [await assignedIn(stuck), await assignedIn(other)];
    const fair = new FairFold(store, SILENT);
    await whileHeld(stuck, async () => {
      await fair.fold({ assigned: [slow, quick], records: [soldRecord(slow), soldRecord(quick)] });
      expect(await revenueOf(other)).toEqual([1n, 1_000n]);
      expect(await revenueOf(stuck)).toEqual([0n, 0n]);
      // From now on nothing waits for it.
      await fair.fold({ assigned: [], records: [soldRecord(slow), soldRecord(quick)] });
      expect(await revenueOf(other)).toEqual([1n, 2_000n]);
    });
    await foldAll();
    expect(await revenueOf(stuck)).toEqual([1n, 2_000n]);
    await expectSound();
  });

  it('stay in the queue of Kafka when Postgres takes nothing, and are repeated as a whole', async () => {
    const row = await insertRunning(database);
    const session = await assignedIn(row);
    const closed = new pg.Pool();
    await closed.end();
    const fair = new FairFold(new FoldStore(closed), SILENT);
    await expect(fair.fold({ assigned: [session], records: [] })).rejects.toThrow('after calling end');
    await store.fold({ assigned: [session], records: [] });
    expect(await revenueOf(row)).toEqual([1n, 0n]);
  });

  it('facts that were set aside are tried again later each time, after the sites behind', async () => {
    const [stuck, other] = [await insertRunning(database), await insertRunning(database)];
    await store.setAside({ assigned: [await assignedIn(stuck)], records: [] });
    await store.setAside({ assigned: [await assignedIn(other)], records: [] });
    await database.owner.query(
      `update sites_to_fold set next_at = now() - interval '1 hour' where site_id = $1`,
      [stuck.siteId],
    );
    expect((await nextTurns(pool)).siteId).toBe(stuck.siteId);
    await postponeSite(pool, stuck.siteId);
    expect((await nextTurns(pool)).siteId).toBe(other.siteId);
    await whileHeld(stuck, async () => {
      await expect(store.foldPending(stuck.siteId)).rejects.toThrow('lock timeout');
      await store.foldPending(other.siteId);
    });
    await foldAll();
    await expectSound();
  });
});

describe('facts that wait', () => {
  it('facts of a session with very many records are folded in pieces, order by order', async () => {
    const row = await insertRunning(database);
    const session = await assignedIn(row);
    const records = ordersOf(session, MANY);
    await store.fold({ assigned: [], records });
    await store.fold({ assigned: [session], records: [] });
    const [sessions, revenue] = await revenueOf(row);
    expect(sessions).toBe(1n);
    expect(revenue).toBeLessThan(BigInt(MANY) * 10n);
    await store.fold({ assigned: [], records: records.slice(0, 40) });
    await foldAll();
    expect(await revenueOf(row)).toEqual([1n, BigInt(MANY) * 10n]);
    await expectSound();
  });

  it('facts that could not be folded in time are tried in smaller pieces, half as large after each failure', async () => {
    const row = await insertRunning(database);
    const session = await assignedIn(row);
    await store.setAside({ assigned: [session], records: ordersOf(session, MANY) });
    for (let failure = 0; failure < 3; failure += 1) await postponeSite(pool, row.siteId);
    await store.foldPending(row.siteId);
    expect(await revenueOf(row)).toEqual([1n, 62n * 10n]);
    await foldAll();
    expect(await revenueOf(row)).toEqual([1n, BigInt(MANY) * 10n]);
    await expectSound();
  });

  it('facts of a site beyond its share of a call wait for its turn', async () => {
    const [greedy, other] = [await insertRunning(database), await insertRunning(database)];
    const [many, one] = [await assignedIn(greedy), await assignedIn(other)];
    await store.fold({ assigned: [many, one], records: [] });
    const records = ordersOf(many, SHARE_OF_SITE + MANY);
    await new FairFold(store, SILENT).fold({ assigned: [], records: [...records, soldRecord(one)] });
    expect(await revenueOf(greedy)).toEqual([1n, BigInt(SHARE_OF_SITE) * 10n]);
    expect(await revenueOf(other)).toEqual([1n, 1_000n]);
    await foldAll();
    expect(await revenueOf(greedy)).toEqual([1n, BigInt(SHARE_OF_SITE + MANY) * 10n]);
    await expectSound();
  });

  it('facts of another site never reach the session, and hold nothing up', async () => {
    const [mine, theirs] = [await insertRunning(database), await insertRunning(database)];
    const session = await assignedIn(mine);
    const foreign = { ...session, site_id: theirs.siteId };
    await store.setAside({ assigned: [], records: ordersOf(foreign, MANY) });
    await store.setAside({ assigned: [session], records: [soldRecord(session)] });
    await foldAll();
    expect(await revenueOf(mine)).toEqual([1n, 1_000n]);
    await expectSound();
  });
});

async function flagForgotten(): Promise<void> {
  let after: string | null = null;
  do after = await store.flagForgotten(after);
  while (after !== null);
}

async function isWaitedFor(pid: number): Promise<boolean> {
  const text = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
  return (await database.owner.query(text, [pid])).rowCount !== 0;
}

describe('an assignment whose fact never came', () => {
  it('counts from the table of assignments, with the orders that named it', async () => {
    const row = await insertRunning(database);
    const session = await assignedIn(row);
    await store.fold({ assigned: [], records: [soldRecord(session)] });
    const background = foldPending(pool, store, new ExclusionStore(pool), SILENT);
    await eventually(async () => (await revenueOf(row))[1] === 1_000n, PATIENCE);
    await background.close();
    await expectSound();
  });

  it('counts again when its session was lost, with everything that was folded before', async () => {
    const row = await insertRunning(database);
    const session = await assignedIn(row);
    await store.fold({ assigned: [session], records: [soldRecord(session)] });
    for (const table of ['arm_sums', 'hour_sums', 'sample_parts'])
      await database.owner.query(`delete from ${table} where experiment_id = $1`, [row.experimentId]);
    await database.owner.query('delete from session_results where assignment_id = $1', [
      session.assignment_id,
    ]);
    await flagForgotten();
    await foldAll();
    expect(await revenueOf(row)).toEqual([1n, 1_000n]);
    await expectSound();
  });

  it('an assignment is not flagged while flags of its site are dropped, which would leave the site out', async () => {
    const row = await insertRunning(database);
    await assignedIn(row);
    const flagged = async (): Promise<number> => {
      const text = 'select count(*)::integer as count from sessions_to_fold where site_id = $1';
      return (await database.owner.query<{ count: number }>(text, [row.siteId])).rows[0]?.count ?? 0;
    };
    let isOver = false;
    // A slow machine may hold it for longer than it waits: then it has flagged nothing either.
    const dropping = async (pid: number): Promise<void> => {
      const flagging = flagForgotten().catch(() => undefined);
      void flagging.then(() => (isOver = true));
      await eventually(async () => isOver || (await isWaitedFor(pid)));
      expect(await flagged()).toBe(0);
    };
    await whileHeld(row, dropping, 'set aside');
    await eventually(() => isOver);
    await flagForgotten();
    expect(await flagged()).toBe(1);
    await foldAll();
    expect(await revenueOf(row)).toEqual([1n, 0n]);
  });
});
