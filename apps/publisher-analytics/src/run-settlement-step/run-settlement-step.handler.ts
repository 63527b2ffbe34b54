import type { JobStep, JobStepReport } from '@truetally/contracts/jobs';
import { IMPORT_SETTLEMENTS, PULL_SETTLEMENTS } from '@truetally/contracts/publisher';
import { failure, type Reply } from '@truetally/kernel';
import { StoreUnavailableError } from '@truetally/object-store';
import { whileAvailable } from '@truetally/service';
import type { SettlementImport } from '../import-settlements/import-settlements.js';
import type { SettlementPull } from '../pull-settlements/pull-settlements.js';
import type { StepAttempts } from '../storage/step-attempts.js';

/** Runs one piece of a settlement job for management. */
export class RunSettlementStepHandler {
  constructor(
    private readonly imports: SettlementImport,
    private readonly pulls: SettlementPull,
    private readonly attempts: StepAttempts,
  ) {}

  async handle(step: JobStep): Promise<Reply<JobStepReport>> {
    switch (step.step) {
      case IMPORT_SETTLEMENTS:
        return this.limited(step, () => this.imports.step(step));
      case PULL_SETTLEMENTS:
        return this.limited(step, (isLast) => this.pulls.step(step, isLast));
      default:
        // From a newer version than this replica: a replica that is updated can do it.
        return failure('UNAVAILABLE', `The step ${step.step} is not known here.`);
    }
  }

  private limited(
    step: JobStep,
    work: (isLast: boolean) => Promise<Reply<JobStepReport>>,
  ): Promise<Reply<JobStepReport>> {
    return whileAvailable(() => whileStored(() => this.attempts.limit(nameOf(step), work)));
  }
}

/** With the integration, because one job may pull several. */
function nameOf({ job_id, step, params, cursor }: JobStep): string {
  return [job_id, step, params['integration_id'] ?? '', cursor ?? ''].join('/');
}

/** An unavailable store recovers: the job waits for it. */
async function whileStored(work: () => Promise<Reply<JobStepReport>>): Promise<Reply<JobStepReport>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return failure('UNAVAILABLE', 'Uploads cannot be read now.');
    throw error;
  }
}
