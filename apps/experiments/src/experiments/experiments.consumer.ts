import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { type CommandWork, ResourceDatabase } from '@truetally/resource';
import { SiteCopies } from '../learn-surroundings/site-copies.js';
import { changeState } from './change-state.js';
import { createExperiment } from './create-experiment.js';
import { deleteExperiment } from './delete-experiment.js';
import { listExperiments } from './list-experiments.js';
import { readExperiment } from './read-experiment.js';
import { setExclusions } from './set-exclusions.js';
import { updateExperiment } from './update-experiment.js';

@Controller()
export class ExperimentsConsumer {
  constructor(
    private readonly database: ResourceDatabase,
    private readonly copies: SiteCopies,
  ) {}

  @Handles(OPERATIONS.createExperiment)
  async create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.decide(command, correlationId, createExperiment);
  }

  @Handles(OPERATIONS.listExperiments)
  list(query: ResourceQuery) {
    return this.database.query(query, listExperiments);
  }

  @Handles(OPERATIONS.readExperiment)
  read(query: ResourceQuery) {
    return this.database.query(query, readExperiment);
  }

  @Handles(OPERATIONS.updateExperiment)
  async update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.decide(command, correlationId, updateExperiment);
  }

  @Handles(OPERATIONS.deleteExperiment)
  delete(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, deleteExperiment);
  }

  @Handles(OPERATIONS.startExperiment)
  start(command: ResourceCommand, { correlationId }: AskContext) {
    return this.decide(command, correlationId, changeState('start'));
  }

  @Handles(OPERATIONS.pauseExperiment)
  pause(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, changeState('pause'));
  }

  @Handles(OPERATIONS.resumeExperiment)
  resume(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, changeState('resume'));
  }

  @Handles(OPERATIONS.stopExperiment)
  stop(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, changeState('stop'));
  }

  @Handles(OPERATIONS.setExclusions)
  exclude(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, setExclusions);
  }

  /** For commands that depend on sites and campaigns. */
  private async decide(command: ResourceCommand, correlationId: string, work: CommandWork) {
    const refused = await this.copies.caughtUp(command);
    return refused ?? this.database.command(command, correlationId, work);
  }
}
