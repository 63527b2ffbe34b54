import type { ResourceQuery } from '@truetally/contracts/resource';
import { formatInstant } from '@truetally/kernel';
import { type Queryable, readPage } from '@truetally/resource';
import { deleteOlder } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { Job, NewJob } from '../domain/job.js';
import { JOB_SELECTION, JOBS, toJob } from './job-rows.js';

/** Retention of finished jobs (docs/decisions/jobs.md). */
const KEEP = '90 days';

const NEW = JOBS.only(
  'jobId',
  'workspaceId',
  'type',
  'params',
  'state',
  'total',
  'siteId',
  'startedByName',
  'startedBySub',
  'startedByKey',
  'createdAtMs',
);

/** It can be taken as soon as the transaction has committed. */
export async function insertJob(client: ClientBase, job: NewJob): Promise<void> {
  const { sub: startedBySub, key_id: startedByKey } = job.startedBy;
  await client.query(
    `insert into jobs (${NEW.columns}, due_at) values (${NEW.parameters}, clock_timestamp())`,
    NEW.values({ ...job, state: 'queued', startedBySub, startedByKey }),
  );
}

/** The number of unfinished jobs of a kind, locked against further ones until this transaction ends. */
export async function countUnfinishedJobs(
  client: Queryable,
  { workspaceId, type }: Pick<NewJob, 'type' | 'workspaceId'>,
): Promise<number> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' unfinished jobs ' || $1, 0))`,
    [workspaceId],
  );
  const { rows } = await client.query<{ readonly count: number }>(
    `select count(*)::integer as count from jobs
     where workspace_id = $1 and type = $2 and finished_at is null`,
    [workspaceId, type],
  );
  return rows[0]?.count ?? 0;
}

/** Whether such a job of the site has not ended. Its site is locked, so that none begins meanwhile. */
export async function hasUnfinishedJobOfSite(
  client: Queryable,
  { workspaceId, siteId, type }: Pick<NewJob, 'siteId' | 'type' | 'workspaceId'>,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from jobs where workspace_id = $1 and site_id = $2 and type = $3 and finished_at is null limit 1`,
    [workspaceId, siteId, type],
  );
  return rowCount !== 0;
}

export async function findJob(client: Queryable, jobId: string): Promise<Job | undefined> {
  const { rows } = await client.query(`select ${JOB_SELECTION} from jobs where job_id = $1`, [jobId]);
  return rows.map(toJob)[0];
}

/** A page of the workspace's jobs, newest first. */
export function pageOfJobs(client: Queryable, query: ResourceQuery) {
  const filters = ['type', 'state', 'site_id'].flatMap((column) => {
    const value = query.filters[column];
    return value === undefined ? [] : [{ column, value }];
  });
  return readPage(client, query, {
    columns: JOB_SELECTION,
    from: 'jobs',
    idColumn: 'job_id',
    createdColumn: 'created_at',
    where: ['workspace_id = $1', ...filters.map(({ column }, at) => `${column} = $${at + 2}`)],
    values: [query.workspace_id, ...filters.map(({ value }) => value)],
    toResource: (row) => {
      const job = toJob(row);
      return { id: job.jobId, created_at: formatInstant(job.createdAtMs), job };
    },
  });
}

/** For a change: the worker can save nothing until this transaction ends. */
export async function lockJob(client: ClientBase, jobId: string): Promise<Job | undefined> {
  const { rows } = await client.query(`select ${JOB_SELECTION} from jobs where job_id = $1 for update`, [
    jobId,
  ]);
  return rows.map(toJob)[0];
}

/** Ends an unfinished job, and takes its lease away. */
export async function cancelJob(client: ClientBase, jobId: string, nowMs: number): Promise<void> {
  await client.query(
    `update jobs set state = 'cancelled', finished_at = $2, due_at = null, lease = null, lease_owner = null
     where job_id = $1 and finished_at is null`,
    [jobId, new Date(nowMs)],
  );
}

/** Deletes a bounded number of jobs that finished before the retention period. */
export function forgetFinishedJobs(client: Queryable): Promise<boolean> {
  return deleteOlder(client, { table: 'jobs', key: 'job_id', time: 'finished_at', keep: KEEP });
}

/**
 * Deletes at most `limit` jobs of a deleted workspace, except the erasing job itself, which stays visible to the
 * user who deleted the workspace. @returns how many
 */
export async function eraseJobsOfWorkspace(
  client: ClientBase,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await client.query(
    `delete from jobs where job_id = any (array(
       select job_id from jobs where workspace_id = $1 and type <> 'workspace.delete' limit $2))`,
    [workspaceId, limit],
  );
  return rowCount ?? 0;
}
