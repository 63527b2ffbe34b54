import type { JobStep, JobStepReport } from '@truetally/contracts/jobs';
import type { Operation } from '@truetally/contracts/topics';
import type { Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';
import type { LeasedJob, Piece } from '../storage/job-leases.js';

/**
 * One step of a job, done in pieces of some tens of milliseconds, from cursor to cursor. A job's row remembers
 * its name, so that a release with other steps, or another order, goes on with the right one.
 */
export type JobStepPlan =
  /** Done here: the piece and its cursor are saved in one transaction. */
  | {
      readonly place: 'here';
      readonly name: string;
      readonly run: (client: ClientBase, cursor: string | null) => Promise<Piece>;
    }
  /** Requested from another service: `libs/contracts/src/jobs/job-step.ts`. */
  | {
      readonly place: 'elsewhere';
      readonly name: string;
      readonly operation: Operation<JobStep, JobStepReport>;
      readonly step: string;
      /** Fixed, or read for each piece. */
      readonly params: StepParams | ((client: Queryable, cursor: string | null) => Promise<StepParams>);
      /** Saves what the report brings, in the transaction of the job's progress. @returns the report to go on with */
      readonly settle?: (
        client: ClientBase,
        report: JobStepReport,
        params: StepParams,
      ) => Promise<JobStepReport>;
      /** Saves that the step was refused, in the transaction of the refusal. */
      readonly refused?: (client: ClientBase, message: string) => Promise<void>;
      /**
       * Names of the steps that are left out when it is refused: the others are done all the same, and the job fails at its end. Default: a
       * refusal ends the job.
       */
      readonly without?: readonly string[];
    };

type StepParams = Readonly<Record<string, string>>;

export interface JobKind {
  /** Whether it may be cancelled. */
  readonly isCancellable: boolean;
  /** How many a replica runs at a time, where they wait for strangers: others are never behind them. Default: any. */
  readonly atOnce?: number;
  /** Whether those of one site exclude one another: while one is under way, no other one is taken. Default: no. */
  readonly onePerSite?: boolean;
  /** Its steps, at least one, each with its own name; deterministic for a job in one release. */
  readonly plan: (
    job: Pick<LeasedJob, 'holder' | 'jobId' | 'params' | 'workspaceId'>,
  ) => readonly JobStepPlan[];
}

/** By the type that a job names. */
export type JobKinds = Readonly<Record<string, JobKind>>;
