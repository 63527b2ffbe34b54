import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
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

  @MessagePattern(TOPICS.createExperiment.name)
  async create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    await this.surroundings.caughtUp(message);
    return this.database.command(message, correlationId, createExperiment);
  }

  @MessagePattern(TOPICS.listExperiments.name)
  list(@Payload() message: unknown) {
    return this.database.query(message, listExperiments);
  }

  @MessagePattern(TOPICS.readExperiment.name)
  read(@Payload() message: unknown) {
    return this.database.query(message, readExperiment);
  }

  @MessagePattern(TOPICS.updateExperiment.name)
  async update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    await this.surroundings.caughtUp(message);
    return this.database.command(message, correlationId, updateExperiment);
  }

  @MessagePattern(TOPICS.deleteExperiment.name)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteExperiment);
  }

  @MessagePattern(TOPICS.startExperiment.name)
  start(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, changeState('start'));
  }

  @MessagePattern(TOPICS.pauseExperiment.name)
  pause(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, changeState('pause'));
  }

  @MessagePattern(TOPICS.resumeExperiment.name)
  resume(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, changeState('resume'));
  }

  @MessagePattern(TOPICS.stopExperiment.name)
  stop(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, changeState('stop'));
  }
}
