import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { type CommandWork, ResourceDatabase } from '@truetally/resource';
import { Surroundings } from '../learn-surroundings/surroundings.js';
import { changeState } from './change-state.js';
import { createExperiment } from './create-experiment.js';
import { deleteExperiment } from './delete-experiment.js';
import { listExperiments } from './list-experiments.js';
import { readExperiment } from './read-experiment.js';
import { updateExperiment } from './update-experiment.js';

@Controller()
export class ExperimentsConsumer {
  constructor(
    @Inject(ResourceDatabase) private readonly database: ResourceDatabase,
    @Inject(Surroundings) private readonly surroundings: Surroundings,
  ) {}

  @MessagePattern(OPERATIONS.createExperiment)
  async create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.decide(message, correlationId, createExperiment);
  }

  @MessagePattern(OPERATIONS.listExperiments)
  list(@Payload() message: unknown) {
    return this.database.query(message, listExperiments);
  }

  @MessagePattern(OPERATIONS.readExperiment)
  read(@Payload() message: unknown) {
    return this.database.query(message, readExperiment);
  }

  @MessagePattern(OPERATIONS.updateExperiment)
  async update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.decide(message, correlationId, updateExperiment);
  }

  @MessagePattern(OPERATIONS.deleteExperiment)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteExperiment);
  }

  @MessagePattern(OPERATIONS.startExperiment)
  start(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.decide(message, correlationId, changeState('start'));
  }

  @MessagePattern(OPERATIONS.pauseExperiment)
  pause(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, changeState('pause'));
  }

  @MessagePattern(OPERATIONS.resumeExperiment)
  resume(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, changeState('resume'));
  }

  @MessagePattern(OPERATIONS.stopExperiment)
  stop(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, changeState('stop'));
  }

  /** For commands that depend on sites and campaigns. */
  private async decide(message: unknown, correlationId: string, work: CommandWork) {
    const refused = await this.surroundings.caughtUp(message);
    return refused ?? this.database.command(message, correlationId, work);
  }
}
