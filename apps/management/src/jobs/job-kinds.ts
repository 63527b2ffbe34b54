import type { TopicSpec } from '@truetally/contracts/topics';
import type { ClientBase } from 'pg';
import type { LeasedJob, Piece } from '../storage/job-leases.js';

/** One step of a job, done in pieces of some tens of milliseconds, from cursor to cursor. */
export type JobStepPlan =
  /** Done here: the piece and its cursor are saved in one transaction. */
  | { readonly place: 'here'; readonly run: (client: ClientBase, cursor: string | null) => Promise<Piece> }
  /** Requested from another service: `libs/contracts/src/jobs/job-step.ts`. */
  | {
      readonly place: 'elsewhere';
      readonly topic: TopicSpec;
      readonly step: string;
      readonly params: Readonly<Record<string, string>>;
    };

export interface JobKind {
  /** Whether it may be cancelled. */
  readonly isCancellable: boolean;
  /** Its steps, at least one; deterministic for a job. */
  readonly plan: (job: Pick<LeasedJob, 'params' | 'workspaceId'>) => readonly JobStepPlan[];
}

/** By the type that a job names. */
export type JobKinds = Readonly<Record<string, JobKind>>;
