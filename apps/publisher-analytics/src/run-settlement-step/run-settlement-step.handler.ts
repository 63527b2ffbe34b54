import { Inject, Injectable } from '@nestjs/common';
import { type JobStepReport, readJobStep } from '@truetally/contracts/jobs';
import { IMPORT_SETTLEMENTS, PULL_SETTLEMENTS } from '@truetally/contracts/publisher';
import { failure, type Reply } from '@truetally/kernel';
import { StoreUnavailableError } from '@truetally/object-store';
import { whileAvailable } from '@truetally/service';
import { SettlementImport } from '../import-settlements/import-settlements.js';
import { SettlementPull } from '../pull-settlements/pull-settlements.js';

/** Does one piece of a job of settlements that management runs. */
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
        // Of a newer version than this replica: another one, or this one after its update, can do it.
        return failure('UNAVAILABLE', `The step ${read.value.step} is not known here.`);
    }
  }
}

/** A store that is away is back later: the job waits for it. */
async function whileStored(work: () => Promise<Reply<JobStepReport>>): Promise<Reply<JobStepReport>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailableError) return failure('UNAVAILABLE', 'Uploads cannot be read now.');
    throw error;
  }
}
