import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssignSession } from '@truetally/contracts/experiments';
import type { AssignedSessionFact } from '@truetally/contracts/facts';
import type { JobStepReport } from '@truetally/contracts/jobs';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { insertRunning, openExperimentDatabase, type RunningRow } from '../testing/experiment-database.js';
import { AssignmentStore } from './assignment.store.js';
import { concentrationOf } from '../domain/session-sample.js';
import { FoldStore } from './fold.store.js';
import { republishAssignments } from './republish-assignments.js';
import { readSample } from './session-sample.js';
import { experimentErasure } from './experiment-erasure.js';
import { sessionErasure } from './person-erasure.js';
import { keepTouches } from './touch.store.js';

let database: ServiceDatabase;
let pool: Pool;
let stores: readonly AssignmentStore[];

beforeAll(async () => {
  database = await openExperimentDatabase();
  pool = database.openPool(4);
  stores = [1, 2, 3].map(() => new AssignmentStore(database.openPool(4)));
});

afterAll(() => database.close());

const asked = ({ siteId }: RunningRow, sessionId: string): AssignSession => ({
  site_id: siteId,
  session_id: sessionId,
  campaign_id: null,
  experiment_ids: null,
  touch_ids: [],
  device: 'desktop',
});

const placed = (request: AssignSession) => ({ request, correlationId: randomUUID() });

async function touchOf(
  { siteId }: RunningRow,
  sessionId: string | null,
  touchId = randomUUID(),
): Promise<string> {
  await keepTouches(pool, [
    {
      id: randomUUID(),
      site_id: siteId,
      touch_id: touchId,
      provider: 'awin',
      direction: 'inbound',
      partner_id: null,
      landing_path: '/',
      occurred_at: '2026-01-31T09:30:00.000Z',
      provenance: 'browser_sdk',
      session_id: sessionId,
      recorded_at: '2026-01-31T09:30:00.000Z',
    },
  ]);
  return touchId;
}

describe('assignments', () => {
  it('a burst of 100 concurrent first calls of one session over several replicas is one assignment', async () => {
    const row = await insertRunning(database);
    await touchOf(row, 'one');
    const calls = Array.from({ length: 100 }, (_, index) =>
      stores[index % stores.length]?.assign([placed(asked(row, 'one'))]),
    );
    const answers = (await Promise.all(calls)).flatMap((group) => group?.answers ?? []);
    expect(new Set(answers.map(({ assignments }) => JSON.stringify(assignments))).size).toBe(1);
    expect(answers.filter(({ is_new }) => is_new)).toHaveLength(1);
    const { rows } = await database.owner.query('select from assignments where experiment_id = $1', [
      row.experimentId,
    ]);
    expect(rows).toHaveLength(1);
    const facts = await database.owner.query(`select from outbox where value like '%' || $1 || '%'`, [
      row.experimentId,
    ]);
    expect(facts.rows).toHaveLength(1);
  });

  it('assignments are published again as they were at first', async () => {
    const row = await insertRunning(database);
    for (const session of ['published "é"', 'another']) {
      await touchOf(row, session);
      await stores[0]?.assign([placed(asked(row, session))]);
    }
    const published = async () => {
      const { rows } = await database.owner.query(
        'with gone as (delete from outbox where value like $1 returning *) select topic, key, value, headers from gone order by key',
        [`%${row.siteId}%`],
      );
      return rows as readonly object[];
    };
    const first = await published();
    expect(first).toHaveLength(2);
    const period = { from: '2000-01-01T00:00:00.000Z', to: '9000-01-01T00:00:00.000Z' };
    await republishAssignments({ pool, period, published: () => Promise.resolve() });
    expect(await published()).toEqual(first);
  });

  it('the erasure of a session waits until its assignment is published', async () => {
    const row = await insertRunning(database);
    await touchOf(row, 'of a person');
    await stores[0]?.assign([placed(asked(row, 'of a person'))]);
    const read = { group: 'group', topic: 'topic', partition: 0, lag: 0, end: 0, expired: 0 };
    const erasure = sessionErasure(pool, { lag: () => Promise.resolve([read]) }, 0);
    const [name, jobId] = [randomUUID(), randomUUID()];
    const step = () =>
      erasure.step({
        ...{ name, jobId, erasureId: jobId, siteId: row.siteId, userId: null, cursor: null },
        subjects: { sessionIds: ['of a person'], eventIds: [] },
      });
    expect(await step()).toMatchObject({ done: 0, again_in_ms: 1_000 });
    await database.owner.query('delete from outbox');
    expect(await step()).toMatchObject({ done: 2, cursor: null });
  });

  it('assignments are new again for the request that made them, when it is delivered again', async () => {
    const row = await insertRunning(database);
    await touchOf(row, 'two');
    const first = placed(asked(row, 'two'));
    const answers = [];
    for (const request of [first, first, placed(asked(row, 'two'))]) {
      answers.push(...((await stores[0]?.assign([request]))?.answers ?? []));
    }
    expect(answers.map(({ is_new }) => is_new)).toEqual([true, true, false]);
  });

  it('take the touches that name the session, and those in touch_ids; without any there is none', async () => {
    const row = await insertRunning(database);
    const touchId = await touchOf(row, null);
    const assign = async (request: AssignSession) =>
      (await stores[0]?.assign([placed(request)]))?.answers[0]?.assignments.length;
    expect(await assign(asked(row, 'three'))).toBe(0);
    const stranger = await insertRunning(database);
    expect(await assign({ ...asked(stranger, 'three'), touch_ids: [touchId] })).toBe(0);
    expect(await assign({ ...asked(row, 'three'), touch_ids: [touchId] })).toBe(1);
    expect(await assign(asked(row, 'three'))).toBe(1);
  });

  it('a session that is assigned already takes no other touch, which is left to those who name it later', async () => {
    const row = await insertRunning(database);
    const [first, second, third] = [
      await touchOf(row, null),
      await touchOf(row, null),
      await touchOf(row, null),
    ];
    const assigned = async (...named: readonly (readonly [session: string, touchId: string])[]) => {
      const group = named.map(([session, touchId]) =>
        placed({ ...asked(row, session), touch_ids: [touchId] }),
      );
      return (await stores[0]?.assign(group))?.answers.map(({ assignments }) => assignments.length);
    };
    expect(await assigned(['five', first])).toEqual([1]);
    expect(await assigned(['five', second])).toEqual([1]);
    expect(await assigned(['six', second])).toEqual([1]);
    expect(await assigned(['five', third], ['seven', third])).toEqual([1, 1]);
  });

  it('one touch that names no session makes one of three thousand sessions eligible, over several replicas', async () => {
    const row = await insertRunning(database);
    const touchId = await touchOf(row, null);
    const named = await touchOf(row, 'its own');
    const groups = Array.from({ length: 30 }, (_, group) =>
      Array.from({ length: 100 }, (__, n) =>
        placed({ ...asked(row, `made up ${group} ${n}`), touch_ids: [named, touchId] }),
      ),
    );
    const answers = await Promise.all(groups.map((group, n) => stores[n % stores.length]?.assign(group)));
    expect(answers.reduce((sum, group) => sum + (group?.added ?? 0), 0)).toBe(1);
    const [winner] = groups.flatMap((group, n) =>
      group.filter((_, place) => answers[n]?.answers[place]?.assignments.length === 1),
    );
    const again = await stores[0]?.assign([winner ?? placed(asked(row, ''))]);
    expect(again?.answers[0]?.assignments).toHaveLength(1);
    expect((await stores[0]?.assign([placed(asked(row, 'its own'))]))?.added).toBe(1);
  });

  it('a sample of an experiment’s sessions tells how many came from one network, and those of forgotten persons are no part of it', async () => {
    const row = await insertRunning(database);
    for (let n = 0; n < 120; n += 1) await touchOf(row, `visitor ${n}`);
    const requests = Array.from({ length: 120 }, (_, n) =>
      placed({ ...asked(row, `visitor ${n}`), network: (n < 30 ? 0 : n).toString(16).padStart(32, '0') }),
    );
    await stores[0]?.assign(requests);
    const { rows } = await database.owner.query<AssignedSessionFact>(
      `select assignment_id, experiment_id, site_id, session_id, variant, array[]::uuid[] as campaign_ids, provider, device,
         to_char(assigned_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as assigned_at from assignments where experiment_id = $1`,
      [row.experimentId],
    );
    await new FoldStore(pool).fold({ assigned: rows, records: [] });
    const sample = await readSample(database.owner, row.experimentId);
    expect(concentrationOf(sample)).toEqual({
      state: 'concentrated',
      sampled: 120,
      largest_network_share: 0.25,
    });
    expect(sample.every(({ isSettled }) => !isSettled)).toBe(true);
    await pool.query('select forget_sessions($1, $2)', [
      row.siteId,
      rows.slice(0, 20).map(({ assignment_id: id }) => id),
    ]);
    expect(await readSample(database.owner, row.experimentId)).toHaveLength(100);
  });

  it.each([`update assignments set variant = 'control'`, 'delete from assignments', 'truncate assignments'])(
    'assignments are append-only by trigger for their owner: %s',
    async (statement) => {
      await expect(database.owner.query(statement)).rejects.toThrow(/append-only/);
    },
  );

  it.each([
    `update assignments set variant = 'control'`,
    'delete from assignments',
    'truncate assignments',
    'drop trigger append_only on assignments',
    'delete from erased_sites',
  ])('assignments are append-only by grant for the service: %s', async (statement) => {
    await expect(pool.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('go with their site, and nothing of an erased site is written again', async () => {
    const row = await insertRunning(database);
    await touchOf(row, 'four');
    await stores[0]?.assign([placed(asked(row, 'four'))]);
    const other = await insertRunning(database);
    await touchOf(other, 'four');
    await stores[0]?.assign([placed(asked(other, 'four'))]);
    const erasure = experimentErasure(pool);
    let cursor: string | null = null;
    const counted = { found: 0, done: 0 };
    do {
      const report: JobStepReport = await erasure.step(
        `job/${row.siteId}/${cursor ?? ''}/${randomUUID()}`,
        row.siteId,
        cursor,
      );
      cursor = report.cursor;
      counted.found += report.found;
      counted.done += report.done;
    } while (cursor !== null);
    expect(counted).toEqual({ found: 2, done: 2 });
    await touchOf(row, 'five');
    expect((await stores[0]?.assign([placed(asked(row, 'five'))]))?.answers[0]?.assignments).toEqual([]);
    for (const table of ['experiments', 'assignments', 'touches', 'sites', 'session_results']) {
      const { rows } = await database.owner.query(`select from ${table} where site_id = $1`, [row.siteId]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
    const kept = await database.owner.query('select from assignments where site_id = $1', [other.siteId]);
    expect(kept.rows).toHaveLength(1);
  });
});
