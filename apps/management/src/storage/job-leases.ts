import { randomUUID } from 'node:crypto';
import { type JobStepReport, MAX_JOB_ERRORS } from '@truetally/contracts/jobs';
import { appendToOutbox, inTransaction, type OutgoingFact } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import type { JobParams } from '../domain/job.js';
import { afterPiece, afterRefusal, hasRefused, isAllDone, type JobProgress } from '../domain/job-steps.js';
import { JOBS } from './job-rows.js';

/** The step that a piece belongs to, and the names of all steps of this release. */
export interface PlannedPiece {
  readonly name: string;
  readonly plan: readonly { readonly name: string }[];
}

/** A job held by one worker: only the holder of this lease can save its progress. */
export interface LeasedJob extends JobProgress {
  readonly jobId: string;
  readonly workspaceId: string;
  /** Who answers for it: the creator of its workspace, or the workspace when it has none. */
  readonly holder: string;
  readonly type: string;
  readonly params: JobParams;
  /** The cursor of the step that is under way; null at its start. */
  readonly cursor: string | null;
  /** Failed attempts in a row. */
  readonly attempts: number;
  readonly lease: string;
}

/** The outcome of a piece, with its facts; or nothing was done, because something else has to be done first. */
export type Piece = DonePiece | WaitingPiece;

/** It is asked again after a while, which is no failed attempt. */
export interface WaitingPiece {
  readonly againInMs: number;
}

export interface DonePiece {
  readonly report: JobStepReport;
  readonly facts?: readonly OutgoingFact[];
}

/** A step that is refused. */
export interface Refusal extends PlannedPiece {
  /** Steps that are left out with it, when the job goes on. Default: it ends. */
  readonly without?: readonly string[] | undefined;
  /** Saved with it, by whoever holds the job. */
  readonly also?: ((client: ClientBase, reason: string) => Promise<void>) | undefined;
}

/**
 * The job after a saved piece; finished or failed, or lost to another worker or a cancellation: then nothing was saved.
 */
export type Saved = LeasedJob | 'failed' | 'finished' | 'lost';
export type Advanced = Saved | WaitingPiece;

export interface JobLeasesOptions {
  readonly pool: Pool;
  /** The worker's name, for operators who read the table. */
  readonly owner: string;
  /** A job whose worker is silent for this long goes to another one. */
  readonly leaseMs: number;
  /** Types of which one job of a site is taken at a time. By default none. */
  readonly onePerSite?: readonly string[];
}

const LEASED = JOBS.only(
  'jobId',
  'workspaceId',
  'type',
  'params',
  'step',
  'doneSteps',
  'plannedSteps',
  'cursor',
  'attempts',
);
/** Jobs of one person's workspaces that run at a time, over all workers: others never wait for all of them. */
const JOBS_OF_A_HOLDER = 4;
const HOLDER = 'coalesce(w.created_by, j.workspace_id::text)';
/** Times are the database's, which avoids clock skew. */
const IN = (parameter: string): string =>
  `clock_timestamp() + make_interval(secs => ${parameter}::float8 / 1000)`;

/** Leases of jobs: one worker at a time, even after crashes. See docs/decisions/jobs.md. */
export class JobLeases {
  constructor(private readonly options: JobLeasesOptions) {}

  /**
   * Takes a job of the worker's types: of whoever has the fewest under way the one that has been due for longest. Whoever has many
   * workspaces has one share of the workers.
   */
  async take(types: readonly string[]): Promise<LeasedJob | undefined> {
    const { pool, owner, leaseMs, onePerSite = [] } = this.options;
    const lease = randomUUID();
    // Named: it is asked every second, and its plan costs more than its run.
    const { rows } = await pool.query<{ holder: string }>({
      name: 'take-job',
      text: `with taken as (
         select type, site_id, ${HOLDER} as holder from jobs j left join workspaces w using (workspace_id)
         where lease is not null and due_at > clock_timestamp()),
       under_way as (select holder, count(*) as jobs from taken group by 1)
       update jobs set state = 'running', lease = $1, lease_owner = $2, due_at = ${IN('$3')}
       where job_id = (
         select job_id from jobs j left join workspaces w using (workspace_id)
           left join under_way on under_way.holder = ${HOLDER}
         where due_at <= clock_timestamp() and type = any($4) and coalesce(under_way.jobs, 0) < ${JOBS_OF_A_HOLDER}
           and (type <> all($5) or not exists (
             select from taken where taken.type = j.type and taken.site_id = j.site_id))
         order by coalesce(under_way.jobs, 0), due_at limit 1 for update of j skip locked)
       returning ${LEASED.selection()}, coalesce(
         (select created_by from workspaces w where w.workspace_id = jobs.workspace_id), workspace_id::text) as holder`,
      values: [lease, owner, leaseMs, types, onePerSite],
    });
    return rows.map((row) => ({ ...LEASED.read(row), holder: row.holder, lease }))[0];
  }

  /** @returns whether the worker still holds the lease */
  async renew({ jobId, lease }: LeasedJob): Promise<boolean> {
    const { pool, leaseMs } = this.options;
    const { rowCount } = await pool.query(
      `update jobs set due_at = ${IN('$3')} where job_id = $1 and lease = $2`,
      [jobId, lease, leaseMs],
    );
    return rowCount === 1;
  }

  /**
   * Runs a piece and saves its cursor, in one transaction; it is rolled back when the lease is lost. A piece
   * of another service arrives as its report, which that service stores and does only once.
   */
  advance(
    job: LeasedJob,
    { name, plan }: PlannedPiece,
    work: (client: ClientBase) => Promise<Piece>,
  ): Promise<Advanced> {
    return inTransaction(this.options.pool, async (client) => {
      const held = await client.query('select from jobs where job_id = $1 and lease = $2 for update', [
        job.jobId,
        job.lease,
      ]);
      if (held.rowCount === 0) return 'lost';
      const piece = await work(client);
      if ('againInMs' in piece) return piece;
      const { report, facts = [] } = piece;
      const { cursor } = report;
      const advanced = { ...job, ...afterPiece(job, plan, { name, cursor }), cursor, attempts: 0 };
      await this.save(client, advanced, report);
      await appendToOutbox(client, facts);
      return endIfDone(client, advanced);
    });
  }

  /**
   * Counts a piece of another service that ended after its job was cancelled: what it has stored is there. Once, because the row
   * comes to the place behind the piece.
   */
  countLate(job: LeasedJob, { name, plan }: PlannedPiece, report: JobStepReport): Promise<void> {
    return inTransaction(this.options.pool, async (client) => {
      const { cursor } = report;
      const counted = { ...job, ...afterPiece(job, plan, { name, cursor }), cursor, lease: null };
      const { rowCount } = await client.query(
        `select from jobs where job_id = $1 and state = 'cancelled' and step is not distinct from $2
           and cursor is not distinct from $3 and done_steps = $4 for update`,
        [job.jobId, job.step, job.cursor, job.doneSteps],
      );
      if (rowCount === 1) await this.save(client, counted, report);
    });
  }

  /** Reads what a piece needs before it is asked for, in no transaction. */
  look<T>(read: (pool: Pool) => Promise<T>): Promise<T> {
    return read(this.options.pool);
  }

  /** Returns the job, to be taken by any worker after a delay; a failed attempt is counted. */
  async giveBack({ jobId, lease }: LeasedJob, delayMs: number, cameToNothing: boolean): Promise<void> {
    await this.options.pool.query(
      `update jobs set lease = null, lease_owner = null, due_at = ${IN('$3')}, attempts = attempts + $4
       where job_id = $1 and lease = $2`,
      [jobId, lease, delayMs, cameToNothing ? 1 : 0],
    );
  }

  /** Ends a step for which retries are useless, and with it the job, unless the others are done without it. */
  refuse(job: LeasedJob, { name, plan, without, also }: Refusal, reason: string): Promise<Saved> {
    return inTransaction(this.options.pool, async (client) => {
      const held = await client.query('select from jobs where job_id = $1 and lease = $2 for update', [
        job.jobId,
        job.lease,
      ]);
      if (held.rowCount === 0) return 'lost';
      await also?.(client, reason);
      const errors = [{ row: null, field: null, message: reason }];
      await client.query(ADD_ERRORS, [job.jobId, job.lease, JSON.stringify(errors), MAX_JOB_ERRORS]);
      if (without === undefined) return end(client, job, 'failed');
      const advanced = {
        ...job,
        ...afterRefusal(job, plan, { name, without }),
        cursor: null,
        attempts: 0,
      };
      await this.save(client, advanced, NOTHING_DONE);
      return endIfDone(client, advanced);
    });
  }

  private async save(client: ClientBase, job: SavedJob, report: JobStepReport): Promise<void> {
    const { found, done, stored, failed, errors } = report;
    // A total that was counted before the last rows arrived is corrected by the finished work.
    await client.query(
      `update jobs set step = $3, cursor = $4, attempts = 0, due_at = case when lease is not null then ${IN('$5')} end,
         total = greatest(total + $6, done + $7), done = done + $7, stored = stored + $8, failed = failed + $9,
         done_steps = $10, planned_steps = $11
       where job_id = $1 and lease is not distinct from $2`,
      [
        ...[job.jobId, job.lease, job.step, job.cursor, this.options.leaseMs],
        ...[found, done, stored, failed, job.doneSteps, job.plannedSteps],
      ],
    );
    if (errors.length === 0) return;
    await client.query(ADD_ERRORS, [job.jobId, job.lease, JSON.stringify(errors), MAX_JOB_ERRORS]);
  }
}

const NOTHING_DONE: JobStepReport = { cursor: null, found: 0, done: 0, stored: 0, failed: 0, errors: [] };
const ADD_ERRORS = `
  update jobs set errors = (
    select jsonb_agg(error order by place)
    from jsonb_array_elements(errors || $3::jsonb) with ordinality as listed (error, place)
    where place <= $4)
  where job_id = $1 and lease is not distinct from $2`;

/** A job whose row is locked; without a lease when it was cancelled. */
interface SavedJob extends JobProgress, Pick<LeasedJob, 'jobId' | 'cursor'> {
  readonly lease: string | null;
}

async function endIfDone(client: ClientBase, job: LeasedJob): Promise<LeasedJob | 'failed' | 'finished'> {
  if (!isAllDone(job)) return job;
  return end(client, job, hasRefused(job) ? 'failed' : 'completed');
}

/** Rows that were found but already deleted are not part of the total. */
async function end(
  client: ClientBase,
  { jobId, lease }: LeasedJob,
  state: 'completed' | 'failed',
): Promise<'failed' | 'finished'> {
  await client.query(
    `update jobs set state = $3, finished_at = clock_timestamp(), due_at = null, lease = null, lease_owner = null,
       total = case when $3 = 'completed' then done else total end
     where job_id = $1 and lease = $2`,
    [jobId, lease, state],
  );
  return state === 'completed' ? 'finished' : state;
}
