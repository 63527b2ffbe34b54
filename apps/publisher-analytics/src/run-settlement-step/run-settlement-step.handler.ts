import { Inject, Injectable } from '@nestjs/common';
import { type JobStepReport, readJobStep } from '@truetally/contracts/jobs';
import { IMPORT_SETTLEMENTS, PULL_SETTLEMENTS } from '@truetally/contracts/publisher';
import { failure, type Reply } from '@truetally/kernel';
import { StoreUnavailableError } from '@truetally/object-store';
import { whileAvailable } from '@truetally/service';
import { SettlementImport } from '../import-settlements/import-settlements.js';
import { SettlementPull } from '../pull-settlements/pull-settlements.js';

/** Runs one piece of a settlement job for management. */
@Injectable()
export class RunSettlementStepHandler {
  constructor(
    @Inject(SettlementImport) private readonly imports: SettlementImport,
    @Inject(SettlementPull) private readonly pulls: SettlementPull,
  ) {}

  async handle(body: unknown): Promise<Reply<JobStepReport>> {
    const read = readJobStep(body);
    if (!read.ok) return failure('VALIDATION_ERROR', 'The step breaks a rule.', read.error);
    switch (read.value.step) {
      case IMPORT_SETTLEMENTS:
        return whileStored(() => whileAvailable(() => this.imports.step(read.value)));
      case PULL_SETTLEMENTS:
        return whileAvailable(() => this.pulls.step(read.value));
      default:
        // From a newer version than this replica: a replica that is updated can do it.
        return failure('UNAVAILABLE', `The step ${read.value.step} is not known here.`);
    }
  }
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
