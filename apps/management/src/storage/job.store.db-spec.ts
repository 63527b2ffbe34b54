import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobStepReport } from '@truetally/contracts/jobs';
import { inTransaction } from '@truetally/persistence';
import { ManagementReplicas } from '../testing/management-replicas.js';
import { JobLeases } from './job-leases.js';
import { cancelJob, findJob, forgetFinishedJobs, insertJob } from './job.store.js';

const MS_PER_DAY = 86_400_000;
const KEEP_DAYS = 90;

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

/** A job that began, and possibly ended, this many days ago. */
async function jobOf(age: { readonly begun: number; readonly ended?: number }): Promise<string> {
  const jobId = randomUUID();
  const before = (days: number): number => Date.now() - days * MS_PER_DAY;
  await inTransaction(replicas.pool, async (client) => {
    const startedBy = { sub: null, key_id: null };
    const times = { createdAtMs: before(age.begun) };
    await insertJob(client, {
      jobId,
      workspaceId: randomUUID(),
      type: 'test',
      total: 0,
      params: {},
      startedBy,
      siteId: null,
      startedByName: null,
      ...times,
    });
    if (age.ended !== undefined) await cancelJob(client, jobId, before(age.ended));
  });
  return jobId;
}

describe('a finished job', () => {
  it(`a finished job can be read for ${KEEP_DAYS} days, and one that goes on for as long as it does`, async () => {
    const [old, young, running] = await Promise.all([
      jobOf({ begun: KEEP_DAYS + 2, ended: KEEP_DAYS + 1 }),
      jobOf({ begun: KEEP_DAYS + 2, ended: KEEP_DAYS - 1 }),
      jobOf({ begun: KEEP_DAYS + 2 }),
    ]);
    await forgetFinishedJobs(replicas.pool);
    await expect(findJob(replicas.pool, old)).resolves.toBeUndefined();
    await expect(findJob(replicas.pool, young)).resolves.toMatchObject({ state: 'cancelled' });
    await expect(findJob(replicas.pool, running)).resolves.toMatchObject({ state: 'queued' });
  });
});

describe('a piece of another service that ends after its job was cancelled', () => {
  const plan = [{ name: 'first' }, { name: 'second' }];
  const piece = { name: 'first', plan };
  const errors = [{ row: 7, field: 'currency', message: 'is unknown' }];
  const report: JobStepReport = { cursor: '4/0', found: 9, done: 4, stored: 3, failed: 1, errors };

  async function takenJob() {
    const jobId = await jobOf({ begun: 0 });
    const leases = new JobLeases({ pool: replicas.pool, owner: 'worker', leaseMs: 60_000 });
    await replicas.owner.query('delete from jobs where job_id <> $1', [jobId]);
    const job = await leases.take(['test']);
    if (job === undefined) throw new Error('The job was not taken.');
    return { job, leases };
  }

  it('such a piece is counted once, and nothing of the job is due', async () => {
    const { job, leases } = await takenJob();
    await inTransaction(replicas.pool, (client) => cancelJob(client, job.jobId, Date.now()));
    expect(await leases.advance(job, piece, () => Promise.resolve({ report }))).toBe('lost');
    for (let times = 0; times < 2; times += 1) await leases.countLate(job, piece, report);
    const { found: total, done, stored, failed } = report;
    expect(await findJob(replicas.pool, job.jobId)).toMatchObject({
      state: 'cancelled',
      ...{ total, done, stored, failed, errors },
    });
    expect(await leases.take(['test'])).toBeUndefined();
  });

  it('a job that is not cancelled counts no piece late', async () => {
    const { job, leases } = await takenJob();
    await leases.countLate(job, piece, report);
    expect(await findJob(replicas.pool, job.jobId)).toMatchObject({ state: 'running', done: 0 });
  });
});
