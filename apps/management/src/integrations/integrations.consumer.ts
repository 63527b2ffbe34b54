import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { createIntegration } from './create-integration.js';
import { deleteIntegration } from './delete-integration.js';
import { listIntegrations } from './list-integrations.js';
import { readIntegration } from './read-integration.js';
import { updateIntegration } from './update-integration.js';

@Controller()
export class IntegrationsConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(TOPICS.createIntegration.name)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createIntegration);
  }

  @MessagePattern(TOPICS.listIntegrations.name)
  list(@Payload() message: unknown) {
    return this.database.query(message, listIntegrations);
  }

  @MessagePattern(TOPICS.readIntegration.name)
  read(@Payload() message: unknown) {
    return this.database.query(message, readIntegration);
  }

  @MessagePattern(TOPICS.updateIntegration.name)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateIntegration);
  }

  @MessagePattern(TOPICS.deleteIntegration.name)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteIntegration);
  }
}
