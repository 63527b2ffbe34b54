import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type JobStepReport, MAX_JOB_ERRORS } from '@truetally/contracts/jobs';
import { inTransaction } from '@truetally/persistence';
import fc from 'fast-check';
import { ManagementReplicas } from '../testing/management-replicas.js';
import { nextStep } from '../domain/job-steps.js';
import { JobLeases, type LeasedJob, type Saved } from './job-leases.js';
import { cancelJob, findJob, insertJob } from './job.store.js';

const TYPE = 'test';
/**
 * Time passes in steps that never end together with a lease or a delay: at least 1,000 s lie between any two
 * instants of the model. No machine is so slow that its own time, which passes as well, changes their order.
 */
const LEASE_MS = 10_000_000;
const WAIT_MS = 2_000_000;
const PASSING_MS = 4_500_000;
const STEPS = ['first', 'second', 'third'] as const;
const PLAN = STEPS.map((name) => ({ name }));

let replicas: ManagementReplicas;
let workers: readonly JobLeases[];

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
  const { pool } = replicas;
  workers = ['one', 'two', 'three'].map((owner) => new JobLeases({ pool, owner, leaseMs: LEASE_MS }));
});

afterAll(() => replicas.stop());

beforeEach(() => replicas.owner.query('delete from jobs'));

async function newJob(type = TYPE, workspaceId: string = randomUUID()): Promise<string> {
  const jobId = randomUUID();
  const startedBy = { sub: null, key_id: null };
  await inTransaction(replicas.pool, (client) =>
    insertJob(client, {
      jobId,
      workspaceId,
      type,
      ...{ params: {}, total: 0 },
      startedBy,
      siteId: null,
      startedByName: null,
      createdAtMs: Date.now(),
    }),
  );
  return jobId;
}

/** Has the effect of passing time: leases and delays are times in the database. */
async function pass(ms: number): Promise<void> {
  await replicas.owner.query('update jobs set due_at = due_at - make_interval(secs => $1::float8 / 1000)', [
    ms,
  ]);
}

function worker(index: number): JobLeases {
  const found = workers[index];
  if (found === undefined) throw new Error(`There is no worker ${index}.`);
  return found;
}

function reportOf(given: Partial<JobStepReport> = {}): JobStepReport {
  return { cursor: null, found: 0, done: 1, stored: 0, failed: 0, errors: [], ...given };
}

async function advance(index: number, job: LeasedJob, given: Partial<JobStepReport> = {}): Promise<Saved> {
  const piece = { name: nextStep(PLAN, job).name, plan: PLAN };
  const done = () => Promise.resolve({ report: reportOf(given) });
  return (await worker(index).advance(job, piece, done)) as Saved;
}

/** The expected state of a job. */
interface Model {
  readonly jobId: string;
  state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  done: number;
  step: number;
  dueMs: number;
  /** Sequence of the last change of `dueMs`: of equal times the earlier change is due first. */
  order: number;
  lease: string | undefined;
}

/** The lease of a worker, and its job while the lease is valid. */
interface Hand {
  readonly index: number;
  readonly job: LeasedJob;
  readonly model: Model | undefined;
}

/** Executes each step on the table and on its model, and compares the results. */
class ModelledJobs {
  private readonly models: Model[] = [];
  private readonly hands = new Map<number, LeasedJob>();
  private nowMs = 0;
  private order = 0;

  async create(): Promise<void> {
    const model = { jobId: await newJob(), state: 'queued' as const, done: 0, step: 0, lease: undefined };
    this.models.push({ ...model, dueMs: this.nowMs, order: (this.order += 1) });
  }

  async take(index: number): Promise<void> {
    const [expected] = this.models
      .filter((model) => isOpen(model) && model.dueMs <= this.nowMs)
      .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    const taken = await worker(index).take([TYPE, 'another']);
    expect([taken?.jobId, taken?.doneSteps]).toEqual([expected?.jobId, stepsOf(expected)]);
    if (taken === undefined || expected === undefined) return;
    this.hands.set(index, taken);
    Object.assign(expected, { state: 'running', lease: taken.lease });
    this.due(expected, LEASE_MS);
  }

  async advance({ index, job, model }: Hand, cursor: string | null): Promise<void> {
    const advanced = await advance(index, job, { cursor });
    if (model === undefined) return expect(advanced).toBe('lost');
    model.done += 1;
    model.step += cursor === null ? 1 : 0;
    this.due(model, LEASE_MS);
    if (model.step === STEPS.length) {
      expect(advanced).toBe('finished');
      Object.assign(model, { state: 'completed', lease: undefined });
      this.hands.delete(index);
      return;
    }
    const step = cursor === null ? null : STEPS[model.step];
    expect(advanced).toMatchObject({ step, doneSteps: stepsOf(model), cursor });
    if (typeof advanced !== 'string') this.hands.set(index, advanced);
  }

  async renew({ index, job, model }: Hand): Promise<void> {
    expect(await worker(index).renew(job)).toBe(model !== undefined);
    if (model !== undefined) this.due(model, LEASE_MS);
  }

  async giveBack({ index, job, model }: Hand): Promise<void> {
    await worker(index).giveBack(job, WAIT_MS, true);
    this.hands.delete(index);
    if (model === undefined) return;
    model.lease = undefined;
    this.due(model, WAIT_MS);
  }

  async fail({ index, job, model }: Hand): Promise<void> {
    await worker(index).refuse(job, { name: nextStep(PLAN, job).name, plan: PLAN }, 'refused');
    this.hands.delete(index);
    if (model !== undefined) Object.assign(model, { state: 'failed', lease: undefined });
  }

  async cancel(index: number): Promise<void> {
    const model = this.models[index];
    if (model === undefined) return;
    await inTransaction(replicas.pool, (client) => cancelJob(client, model.jobId, Date.now()));
    if (isOpen(model)) Object.assign(model, { state: 'cancelled', lease: undefined });
  }

  async pass(): Promise<void> {
    await pass(PASSING_MS);
    this.nowMs += PASSING_MS;
  }

  handOf(index: number): Hand | undefined {
    const job = this.hands.get(index);
    if (job === undefined) return undefined;
    return { index, job, model: this.models.find(({ lease }) => lease === job.lease) };
  }

  async expectAlike(): Promise<void> {
    for (const { jobId, state, done } of this.models) {
      expect(await findJob(replicas.pool, jobId)).toMatchObject({ state, done });
    }
  }

  private due(model: Model, inMs: number): void {
    Object.assign(model, { dueMs: this.nowMs + inMs, order: (this.order += 1) });
  }
}

/** The steps that it has ended. */
function stepsOf(model: Model | undefined): readonly string[] | undefined {
  return model === undefined ? undefined : STEPS.slice(0, model.step);
}

function isOpen({ state }: Model): boolean {
  return state === 'queued' || state === 'running';
}

type Action = (jobs: ModelledJobs) => Promise<void>;

/** A step of a worker that holds a job; no effect for others. */
const byHolder = (act: (jobs: ModelledJobs, hand: Hand) => Promise<void>) =>
  fc.nat(2).map((index): Action => async (jobs) => {
    const hand = jobs.handOf(index);
    if (hand !== undefined) await act(jobs, hand);
  });

const ACTION = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Action>((jobs) => jobs.create()) },
  {
    weight: 5,
    arbitrary: fc.nat(2).map(
      (index): Action =>
        (jobs) =>
          jobs.take(index),
    ),
  },
  { weight: 2, arbitrary: byHolder((jobs, hand) => jobs.advance(hand, null)) },
  { weight: 4, arbitrary: byHolder((jobs, hand) => jobs.advance(hand, 'here')) },
  { weight: 2, arbitrary: byHolder((jobs, hand) => jobs.renew(hand)) },
  { weight: 1, arbitrary: byHolder((jobs, hand) => jobs.giveBack(hand)) },
  { weight: 1, arbitrary: byHolder((jobs, hand) => jobs.fail(hand)) },
  {
    weight: 1,
    arbitrary: fc.nat(5).map(
      (index): Action =>
        (jobs) =>
          jobs.cancel(index),
    ),
  },
  { weight: 5, arbitrary: fc.constant<Action>((jobs) => jobs.pass()) },
);

describe('leases', () => {
  it('give each job to one worker at a time and store its holder’s progress, whatever happens in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ACTION, { minLength: 10, maxLength: 60, size: 'max' }), async (actions) => {
        await replicas.owner.query('delete from jobs');
        const jobs = new ModelledJobs();
        await jobs.create();
        for (const act of actions) await act(jobs);
        await jobs.expectAlike();
      }),
      { numRuns: 100 },
    );
  });

  it('leases are taken by one of many workers that reach for the same jobs at once', async () => {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => newJob()));
    const taken = await Promise.all(Array.from({ length: 60 }, (_, index) => worker(index % 3).take([TYPE])));
    const ids = taken.flatMap((job) => (job === undefined ? [] : [job.jobId]));
    expect(ids.toSorted()).toEqual(jobs.toSorted());
  });

  it('jobs of whoever has the fewest under way are taken first, and no one has more than four', async () => {
    const owner = randomUUID();
    const [first, second] = [await replicas.makeWorkspace(), await replicas.makeWorkspace()];
    await replicas.owner.query('update workspaces set created_by = $1 where workspace_id = any($2)', [
      owner,
      [first.id, second.id],
    ]);
    for (let count = 0; count < 3; count += 1) for (const { id } of [first, second]) await newJob(TYPE, id);
    const another = await newJob();
    const taken: (string | undefined)[] = [];
    for (let count = 0; count < 6; count += 1) taken.push((await worker(count % 3).take([TYPE]))?.jobId);
    expect(taken.indexOf(another)).toBe(1);
    expect(taken.filter((id) => id !== undefined)).toHaveLength(5);
    await pass(LEASE_MS + 1);
    expect(await worker(0).take([TYPE])).toBeDefined();
  });

  it('save nothing of a piece whose job was taken by another worker meanwhile', async () => {
    await newJob();
    const late = await worker(0).take([TYPE]);
    await pass(LEASE_MS + 1);
    const next = await worker(1).take([TYPE]);
    expect(next?.jobId).toBe(late?.jobId);
    if (late === undefined || next === undefined) throw new Error('Nobody took the job.');
    expect(await advance(0, late)).toBe('lost');
    expect(await worker(0).renew(late)).toBe(false);
    await worker(0).refuse(late, { name: 'first', plan: PLAN }, 'too late');
    await worker(0).giveBack(late, 0, true);
    expect(await advance(1, next)).toMatchObject({ doneSteps: ['first'] });
    expect(await findJob(replicas.pool, next.jobId)).toMatchObject({ state: 'running', done: 1, errors: [] });
  });

  it('undo a piece that fails halfway, with everything that it wrote', async () => {
    const jobId = await newJob();
    const job = await worker(0).take([TYPE]);
    if (job === undefined) throw new Error('Nobody took the job.');
    const failing = worker(0).advance(job, { name: 'first', plan: PLAN }, async (client) => {
      await client.query('update jobs set total = 99 where job_id = $1', [jobId]);
      throw new Error('halfway');
    });
    await expect(failing).rejects.toThrow('halfway');
    expect(await findJob(replicas.pool, jobId)).toMatchObject({ total: 0, done: 0 });
  });

  it('leave a job of a type that a worker does not know to one that does', async () => {
    const jobId = await newJob('newer');
    expect(await worker(0).take([TYPE])).toBeUndefined();
    expect((await worker(1).take([TYPE, 'newer']))?.jobId).toBe(jobId);
  });
});

describe('the progress of a job', () => {
  it('the progress of a job is the sum of its pieces, and its total equals the completed work', async () => {
    const jobId = await newJob();
    const job = await worker(0).take([TYPE]);
    if (job === undefined) throw new Error('Nobody took the job.');
    const first = await advance(0, job, { cursor: 'a', found: 10, done: 4, stored: 3, failed: 1 });
    expect(await findJob(replicas.pool, jobId)).toMatchObject({ total: 10, done: 4, stored: 3, failed: 1 });
    if (typeof first === 'string') throw new Error(first);
    const second = await advance(0, first);
    if (typeof second === 'string') throw new Error(second);
    const third = await advance(0, second);
    if (typeof third === 'string') throw new Error(third);
    const last = await advance(0, third, { done: 3, stored: 5 });
    expect(last).toBe('finished');
    const finished = await findJob(replicas.pool, jobId);
    expect(finished).toMatchObject({ state: 'completed', total: 9, done: 9, stored: 8, failed: 1 });
    expect(finished?.finishedAtMs).toEqual(expect.any(Number));
  });

  it('the total of a job is never less than the completed work: rows can be added after the count', async () => {
    const jobId = await newJob();
    const job = await worker(0).take([TYPE]);
    if (job === undefined) throw new Error('Nobody took the job.');
    const first = await advance(0, job, { cursor: 'a', found: 2, done: 5 });
    expect(await findJob(replicas.pool, jobId)).toMatchObject({ total: 5, done: 5 });
    if (typeof first === 'string') throw new Error(first);
    const second = await advance(0, first, { cursor: 'b', found: 0, done: 1 });
    expect(await findJob(replicas.pool, jobId)).toMatchObject({ total: 6, done: 6 });
    if (typeof second === 'string') throw new Error(second);
    await advance(0, second, { cursor: 'c', found: 10, done: 1 });
    expect(await findJob(replicas.pool, jobId)).toMatchObject({ total: 16, done: 7 });
  });

  it('keeps the first thousand errors, in their order', async () => {
    const jobId = await newJob();
    let job: LeasedJob | string | undefined = await worker(0).take([TYPE]);
    for (let piece = 0; piece < 3; piece += 1) {
      if (job === undefined || typeof job === 'string') throw new Error(String(job));
      const errors = Array.from({ length: 400 }, (_, index) => ({
        row: piece * 400 + index + 1,
        field: null,
        message: 'is broken',
      }));
      job = await advance(0, job, { cursor: `${piece}`, errors });
    }
    const { errors = [] } = (await findJob(replicas.pool, jobId)) ?? {};
    expect(errors).toHaveLength(MAX_JOB_ERRORS);
    expect(errors.map(({ row }) => row)).toEqual(Array.from({ length: MAX_JOB_ERRORS }, (_, n) => n + 1));
  });
});
