import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type JobStepReport, MAX_JOB_ERRORS } from '@truetally/contracts';
import { inTransaction } from '@truetally/persistence';
import fc from 'fast-check';
import { ManagementReplicas } from '../management.fixture.js';
import { JobLeases, type LeasedJob } from './job.leases.js';
import { cancelJob, findJob, insertJob } from './job.store.js';

const TYPE = 'test';
const LEASE_MS = 10_000;
const WAIT_MS = 2_000;
/** Time passes in pieces that never end where a lease or a wait does. */
const PASSING_MS = 4_500;
const STEPS = 3;

let replicas: ManagementReplicas;
let workers: readonly JobLeases[];

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
  const { pool } = replicas;
  workers = ['one', 'two', 'three'].map((owner) => new JobLeases({ pool, owner, leaseMs: LEASE_MS }));
});

afterAll(() => replicas.stop());

beforeEach(() => replicas.owner.query('delete from jobs'));

async function newJob(type = TYPE): Promise<string> {
  const jobId = randomUUID();
  const startedBy = { sub: null, key_id: null };
  await inTransaction(replicas.pool, (client) =>
    insertJob(client, {
      jobId,
      workspaceId: randomUUID(),
      type,
      params: {},
      startedBy,
      createdAtMs: Date.now(),
    }),
  );
  return jobId;
}

/** As when every clock had gone on: leases and waits are times of the database. */
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

function advance(index: number, job: LeasedJob, given: Partial<JobStepReport> = {}) {
  return worker(index).advance(job, STEPS, () => Promise.resolve({ report: reportOf(given) }));
}

/** What a job must be, after what was done to it. */
interface Model {
  readonly jobId: string;
  state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  done: number;
  step: number;
  dueMs: number;
  /** Of the last change of `dueMs`: of equal times the earlier one is due first. */
  order: number;
  lease: string | undefined;
}

const action = fc.oneof(
  fc.record({ kind: fc.constant('create' as const) }),
  fc.record({ kind: fc.constantFrom('take' as const, 'take' as const), worker: fc.nat(2) }),
  fc.record({
    kind: fc.constantFrom('advance' as const, 'advance' as const, 'stay' as const),
    worker: fc.nat(2),
  }),
  fc.record({
    kind: fc.constantFrom('renew' as const, 'give-back' as const, 'fail' as const),
    worker: fc.nat(2),
  }),
  fc.record({ kind: fc.constant('cancel' as const), job: fc.nat(5) }),
  fc.record({ kind: fc.constantFrom('pass' as const, 'pass' as const) }),
);

describe('leases', () => {
  it('give each job to one worker at a time and save what its holder did, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        await replicas.owner.query('delete from jobs');
        const models: Model[] = [];
        const hands = new Map<number, LeasedJob>();
        let nowMs = 0;
        let order = 0;
        const due = (model: Model, dueMs: number): void => {
          Object.assign(model, { dueMs, order: (order += 1) });
        };
        const held = (index: number): { job: LeasedJob; model: Model | undefined } | undefined => {
          const job = hands.get(index);
          return job === undefined
            ? undefined
            : { job, model: models.find(({ lease }) => lease === job.lease) };
        };
        for (const one of actions) {
          switch (one.kind) {
            case 'create': {
              const jobId = await newJob();
              const model = { jobId, state: 'queued' as const, done: 0, step: 0, lease: undefined };
              models.push({ ...model, dueMs: nowMs, order: (order += 1) });
              break;
            }
            case 'take': {
              const [expected] = models
                .filter(({ state, dueMs }) => (state === 'queued' || state === 'running') && dueMs <= nowMs)
                .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
              const taken = await worker(one.worker).take([TYPE, 'another']);
              expect(taken?.jobId).toBe(expected?.jobId);
              if (taken === undefined || expected === undefined) break;
              expect(taken.step).toBe(expected.step);
              hands.set(one.worker, taken);
              Object.assign(expected, { state: 'running', lease: taken.lease });
              due(expected, nowMs + LEASE_MS);
              break;
            }
            case 'advance':
            case 'stay': {
              const hand = held(one.worker);
              if (hand === undefined) break;
              const cursor = one.kind === 'stay' ? 'here' : null;
              const advanced = await advance(one.worker, hand.job, { cursor });
              if (hand.model === undefined) {
                expect(advanced).toBe('lost');
                break;
              }
              const { model } = hand;
              model.done += 1;
              model.step += cursor === null ? 1 : 0;
              due(model, nowMs + LEASE_MS);
              if (model.step === STEPS) {
                expect(advanced).toBe('finished');
                Object.assign(model, { state: 'completed', lease: undefined });
                hands.delete(one.worker);
              } else {
                expect(advanced).toMatchObject({ step: model.step, cursor });
                if (typeof advanced !== 'string') hands.set(one.worker, advanced);
              }
              break;
            }
            case 'renew': {
              const hand = held(one.worker);
              if (hand === undefined) break;
              expect(await worker(one.worker).renew(hand.job)).toBe(hand.model !== undefined);
              if (hand.model !== undefined) due(hand.model, nowMs + LEASE_MS);
              break;
            }
            case 'give-back': {
              const hand = held(one.worker);
              if (hand === undefined) break;
              await worker(one.worker).giveBack(hand.job, WAIT_MS, true);
              hands.delete(one.worker);
              if (hand.model === undefined) break;
              hand.model.lease = undefined;
              due(hand.model, nowMs + WAIT_MS);
              break;
            }
            case 'fail': {
              const hand = held(one.worker);
              if (hand === undefined) break;
              await worker(one.worker).fail(hand.job, 'refused');
              hands.delete(one.worker);
              if (hand.model !== undefined) Object.assign(hand.model, { state: 'failed', lease: undefined });
              break;
            }
            case 'cancel': {
              const model = models[one.job];
              if (model === undefined) break;
              await inTransaction(replicas.pool, (client) => cancelJob(client, model.jobId, Date.now()));
              if (model.state === 'queued' || model.state === 'running') {
                Object.assign(model, { state: 'cancelled', lease: undefined });
              }
              break;
            }
            case 'pass':
              await pass(PASSING_MS);
              nowMs += PASSING_MS;
              break;
          }
        }
        for (const { jobId, state, done } of models) {
          expect(await findJob(replicas.pool, jobId)).toMatchObject({ state, done });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are taken by one of many workers that reach for the same jobs at once', async () => {
    const jobs = await Promise.all(Array.from({ length: 20 }, () => newJob()));
    const taken = await Promise.all(Array.from({ length: 60 }, (_, index) => worker(index % 3).take([TYPE])));
    const ids = taken.flatMap((job) => (job === undefined ? [] : [job.jobId]));
    expect(ids.toSorted()).toEqual(jobs.toSorted());
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
    await worker(0).fail(late, 'too late');
    await worker(0).giveBack(late, 0, true);
    expect(await advance(1, next)).toMatchObject({ step: 1 });
    expect(await findJob(replicas.pool, next.jobId)).toMatchObject({ state: 'running', done: 1, errors: [] });
  });

  it('undo a piece that fails halfway, with everything that it wrote', async () => {
    const jobId = await newJob();
    const job = await worker(0).take([TYPE]);
    if (job === undefined) throw new Error('Nobody took the job.');
    const failing = worker(0).advance(job, STEPS, async (client) => {
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

describe('what a job tells of itself', () => {
  it('is the sum of its pieces, and its total is what was done when it is completed', async () => {
    const jobId = await newJob();
    const job = await worker(0).take([TYPE]);
    if (job === undefined) throw new Error('Nobody took the job.');
    const first = await advance(0, job, { cursor: 'a', found: 10, done: 4, stored: 3, failed: 1 });
    expect(await findJob(replicas.pool, jobId)).toMatchObject({ total: 10, done: 4, stored: 3, failed: 1 });
    if (typeof first === 'string') throw new Error(first);
    const last = await worker(0).advance(first, 1, () =>
      Promise.resolve({ report: reportOf({ done: 5, stored: 5 }) }),
    );
    expect(last).toBe('finished');
    const finished = await findJob(replicas.pool, jobId);
    expect(finished).toMatchObject({ state: 'completed', total: 9, done: 9, stored: 8, failed: 1 });
    expect(finished?.finishedAtMs).toEqual(expect.any(Number));
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
