import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import { ManagementReplicas } from '../testing/management-replicas.js';
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
