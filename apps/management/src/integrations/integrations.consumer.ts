import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
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

  @MessagePattern(OPERATIONS.createIntegration)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createIntegration);
  }

  @MessagePattern(OPERATIONS.listIntegrations)
  list(@Payload() message: unknown) {
    return this.database.query(message, listIntegrations);
  }

  @MessagePattern(OPERATIONS.readIntegration)
  read(@Payload() message: unknown) {
    return this.database.query(message, readIntegration);
  }

  @MessagePattern(OPERATIONS.updateIntegration)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateIntegration);
  }

  @MessagePattern(OPERATIONS.deleteIntegration)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteIntegration);
  }
}
