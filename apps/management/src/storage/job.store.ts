import type { JobError, JobState } from '@truetally/contracts/jobs';
import type { Queryable } from '@truetally/resource';
import { deleteOlder } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { Job, NewJob } from '../domain/job.js';

/** Retention of finished jobs (docs/decisions/jobs.md). */
const KEEP = '90 days';

interface JobRow {
  readonly job_id: string;
  readonly workspace_id: string;
  readonly type: string;
  readonly state: JobState;
  readonly total: number;
  readonly done: number;
  readonly stored: number;
  readonly failed: number;
  readonly errors: readonly JobError[];
  readonly started_by_sub: string | null;
  readonly started_by_key: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

const COLUMNS = `job_id, workspace_id, type, state, total::float8 as total, done::float8 as done,
  stored::float8 as stored, failed::float8 as failed, errors, started_by_sub, started_by_key, created_at, finished_at`;

/** It can be taken as soon as the transaction has committed. */
export async function insertJob(client: ClientBase, job: NewJob): Promise<void> {
  const { jobId, workspaceId, type, params, startedBy, createdAtMs } = job;
  await client.query(
    `insert into jobs (job_id, workspace_id, type, params, state, started_by_sub, started_by_key, due_at, created_at)
     values ($1, $2, $3, $4, 'queued', $5, $6, clock_timestamp(), $7)`,
    [
      jobId,
      workspaceId,
      type,
      JSON.stringify(params),
      startedBy.sub,
      startedBy.key_id,
      new Date(createdAtMs),
    ],
  );
}

/** The number of unfinished jobs of a kind, locked against further ones until this transaction ends. */
export async function countUnfinishedJobs(
  client: ClientBase,
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

export async function findJob(client: Queryable, jobId: string): Promise<Job | undefined> {
  const { rows } = await client.query<JobRow>(`select ${COLUMNS} from jobs where job_id = $1`, [jobId]);
  return rows.map(toJob)[0];
}

/** For a change: the worker can save nothing until this transaction ends. */
export async function lockJob(client: ClientBase, jobId: string): Promise<Job | undefined> {
  const { rows } = await client.query<JobRow>(`select ${COLUMNS} from jobs where job_id = $1 for update`, [
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

function toJob(row: JobRow): Job {
  return {
    jobId: row.job_id,
    workspaceId: row.workspace_id,
    type: row.type,
    state: row.state,
    total: row.total,
    done: row.done,
    stored: row.stored,
    failed: row.failed,
    errors: row.errors,
    startedBy: { sub: row.started_by_sub, key_id: row.started_by_key },
    createdAtMs: row.created_at.getTime(),
    finishedAtMs: row.finished_at?.getTime() ?? null,
  };
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
