import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  judgeRows,
  PROFILE_ERASE,
  PROFILES_IMPORT,
  type SiteResource,
} from '@truetally/contracts/management';
import { parseOwnJson } from '@truetally/kernel';
import { inTransaction } from '@truetally/persistence';
import { ResourceAnswers } from '@truetally/resource';
import { nextStep } from '../domain/job-steps.js';
import { ERASURE_JOBS } from '../erasures/erasure-jobs.js';
import { eraseProfile } from '../erasures/erase-profile.js';
import { OWN_NAME } from '../erasures/services-of-people.js';
import { JobLeases, type LeasedJob, type Piece } from '../storage/job-leases.js';
import { countUnfinishedJobs, findJob, hasUnfinishedJobOfSite } from '../storage/job.store.js';
import { lockPeople } from '../storage/profile.store.js';
import { explain } from '../testing/explain.js';
import { accepted, ManagementReplicas, OWNER } from '../testing/management-replicas.js';
import { beginProfilesImport } from './begin-profiles-import.js';
import { PROFILE_JOBS } from './profile-jobs.js';

let replicas: ManagementReplicas;
let site: SiteResource;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
  site = await replicas.makeSite((await replicas.makeWorkspace()).id);
});

afterAll(() => replicas.stop());

beforeEach(() => replicas.owner.query('truncate profiles, profile_imports, jobs'));

async function begin(profiles: readonly object[], of = site): Promise<string> {
  const command = {
    workspace_id: of.workspace_id,
    actor: null,
    params: {},
    version: null,
    idempotency: null,
    body: parseOwnJson(JSON.stringify({ site_id: of.id, rows: judgeRows(profiles) })),
  };
  const context = { nowMs: Date.now(), newId: randomUUID };
  const outcome = await inTransaction(replicas.pool, (client) =>
    beginProfilesImport(client, command, context),
  );
  if ('error' in outcome) throw new Error(outcome.error.message);
  return (outcome.ok as { job_id: string }).job_id;
}

/** Does at most so many pieces of the job that has waited longest. @returns whether one was left */
async function work(pieces = Infinity): Promise<boolean> {
  const leases = new JobLeases({ pool: replicas.pool, owner: 'test', leaseMs: 1 });
  const taken = await leases.take([PROFILES_IMPORT]);
  if (taken === undefined) return false;
  let job = taken;
  for (let done = 0; done < pieces; done += 1) {
    const plan = PROFILE_JOBS[job.type]?.plan(job) ?? [];
    const step = nextStep(plan, job);
    if (step.place !== 'here') throw new Error('An import is done here.');
    const { cursor } = job;
    const advanced = await leases.advance(job, { name: step.name, plan }, (client) =>
      step.run(client, cursor),
    );
    if (typeof advanced === 'string' || 'againInMs' in advanced) return true;
    job = advanced;
  }
  return true;
}

function erasing(userId: string, { of = site, version = null as number | null } = {}) {
  return {
    workspace_id: of.workspace_id,
    actor: { sub: OWNER, email: null, key_id: null, key_prefix: null },
    params: {},
    version,
    idempotency: null,
    body: { site_id: of.id, user_id: userId },
  };
}

function erase(userId: string, version: number | null = null) {
  return replicas.next().command(erasing(userId, { version }), randomUUID(), eraseProfile);
}

const people = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ user_id: `u${n}`, name: `N${n}` }));

describe('an import of profiles', () => {
  it('an import goes on after its last saved piece when its worker is gone, and keeps nothing of its rows', async () => {
    const jobId = await begin(people(1_000));
    await work(1);
    expect(await findJob(replicas.pool, jobId)).toMatchObject({ state: 'running', total: 1_000, done: 500 });
    await work();
    expect(await findJob(replicas.pool, jobId)).toMatchObject({
      state: 'completed',
      done: 1_000,
      stored: 1_000,
    });
    const { rows } = await replicas.owner.query<{ profiles: number; imports: number; most: number }>(
      `select (select count(*)::integer from profiles) as profiles, max(version) as most,
         (select count(*)::integer from profile_imports) as imports from profiles`,
    );
    expect(rows[0]).toEqual({ profiles: 1_000, imports: 0, most: 1 });
  });

  it('an import tells how many rows it has before it runs', async () => {
    const jobId = await begin(people(7));
    expect(await findJob(replicas.pool, jobId)).toMatchObject({ state: 'queued', total: 7, done: 0 });
  });

  it('imports of the same people at once are as if one came after the other', async () => {
    const fields = ['name', 'phone', 'language', 'first_name'];
    for (const field of fields) await begin(people(300).map(({ user_id }) => ({ user_id, [field]: field })));
    // A lease of a millisecond is lost now and then; whoever loses a job looks for another.
    const workToTheEnd = async (): Promise<void> => {
      while (await work());
    };
    await Promise.all(fields.map(workToTheEnd));
    const { rows } = await replicas.owner.query<{ count: number }>(
      `select count(*)::integer as count from profiles
       where name = 'name' and phone = 'phone' and language = 'language' and first_name = 'first_name'`,
    );
    expect(rows[0]?.count).toBe(300);
  });

  it('one import of a site is taken at a time, and those of another site beside it', async () => {
    const other = await replicas.makeSite(site.workspace_id);
    const jobs = [await begin(people(1)), await begin(people(1)), await begin(people(1), other)];
    const onePerSite = Object.keys(PROFILE_JOBS);
    const leases = new JobLeases({ pool: replicas.pool, owner: 'test', leaseMs: 60_000, onePerSite });
    const [first, beside, none] = [
      await leases.take(onePerSite),
      await leases.take(onePerSite),
      await leases.take(onePerSite),
    ];
    expect([first?.jobId, beside?.jobId, none]).toEqual([jobs[0], jobs[2], undefined]);
    if (first !== undefined) await leases.giveBack(first, 60_000, false);
    expect((await leases.take(onePerSite))?.jobId).toBe(jobs[1]);
  });

  it('numbers of attributes keep every digit', async () => {
    const attributes = { big: JSON.rawJSON('12345678901234567890.10') };
    await begin([{ user_id: 'u', attributes }]);
    await work();
    const { rows } = await replicas.owner.query<{ text: string }>(
      'select attributes::text as text from profiles',
    );
    expect(rows[0]?.text).toBe('{"big":12345678901234567890.10}');
  });

  it('people whom the site knows, and rows that are refused, take no room of its quota', async () => {
    const full = await replicas.makeSite((await replicas.makeWorkspace()).id);
    await begin(people(2), full);
    await work();
    await replicas.send.administerWorkspace({ workspace_id: full.workspace_id, quotas: { profiles: 2 } });
    await replicas.owner.query('truncate often_made');
    await begin([...people(2), ...people(1), { user_id: 'broken', name: 1 }], full);
    await expect(begin(people(3), full)).rejects.toThrow('profiles');
  });

  it('a person is erased at the version that was read, and a stale one is refused', async () => {
    await begin([{ user_id: 'read-once' }]);
    await work();
    await expect(erase('read-once', 2)).resolves.toMatchObject({ error: { code: 'CONFLICT' } });
    await expect(erase('nobody', 1)).resolves.toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await replicas.count('profiles', 'true')).toBe(1);
    accepted(await erase('read-once', 1));
    expect(await replicas.count('profiles', 'true')).toBe(0);
  });

  it('commands of an owner that wait for each other leave connections to those of other owners', async () => {
    const other = await replicas.makeSite((await replicas.makeWorkspace()).id);
    const database = replicas.next();
    const answer = new ResourceAnswers(database).command(eraseProfile);
    const ask = (userId: string, of: SiteResource, holder: string) =>
      answer(erasing(userId, { of }), { correlationId: randomUUID(), holder });
    const waiting = await inTransaction(replicas.owner, async (client) => {
      await lockPeople(client, site.id);
      const asked = Array.from({ length: 2 * database.connections }, (_, n) => ask(`w${n}`, site, 'one'));
      expect(await ask('w', other, 'another')).toHaveProperty('ok');
      return asked;
    });
    for (const reply of await Promise.all(waiting)) expect(reply).toHaveProperty('ok');
  });

  it('the erasure of a person waits for imports that began before it, which is no failed attempt', async () => {
    await begin(people(1));
    accepted(await erase('u0'));
    await replicas.owner.query(
      `update profile_imports set received_at = (select max(requested_at) from erasures) + interval '999 microseconds'`,
    );
    const leases = new JobLeases({ pool: replicas.pool, owner: 'test', leaseMs: 1 });
    const plan = (job: LeasedJob) => ERASURE_JOBS[job.type]?.plan(job) ?? [];
    const eraseHere = async (): Promise<Piece | undefined> => {
      const job = await leases.take([PROFILE_ERASE]);
      const step = job === undefined ? undefined : plan(job).find(({ name }) => name === OWN_NAME);
      if (step?.place !== 'here') throw new Error('The erasure has no step here.');
      return inTransaction(replicas.pool, (client) => step.run(client, null));
    };
    expect(await eraseHere()).toEqual({ againInMs: 5_000 });
    expect(await work()).toBe(true);
    expect(await eraseHere()).toHaveProperty('report');
  });

  it('unfinished imports of a workspace beyond a hundred are refused by the name of the quota', async () => {
    for (let n = 0; n < 100; n += 1) await begin([{ user_id: 'u' }]);
    await expect(begin([{ user_id: 'u' }])).rejects.toThrow('unfinished_imports');
  });

  it('unfinished imports are counted among any number of ended jobs', async () => {
    await begin([{ user_id: 'u' }]);
    await replicas.owner.query(
      `insert into jobs (job_id, workspace_id, site_id, type, params, state, created_at, finished_at)
       select gen_random_uuid(), $1, $2, $3, '{}', 'completed', now(), now() from generate_series(1, 5000)`,
      [site.workspace_id, site.id, PROFILES_IMPORT],
    );
    await replicas.owner.query('analyze jobs');
    const asked = { workspaceId: site.workspace_id, siteId: site.id, type: PROFILES_IMPORT };
    for (const ask of [countUnfinishedJobs, hasUnfinishedJobOfSite]) {
      const plan = await explain(replicas, (client) => ask(client, asked));
      expect(plan.mostRows).toBeLessThan(10);
    }
  });
});
