import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { logged } from '../audit-log/logged.js';
import { createIntegration } from './create-integration.js';
import { deleteIntegration } from './delete-integration.js';
import { listIntegrations } from './list-integrations.js';
import { readIntegration } from './read-integration.js';
import { updateIntegration } from './update-integration.js';

@Controller()
export class IntegrationsConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createIntegration)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(createIntegration));
  }

  @Handles(OPERATIONS.listIntegrations)
  list(query: ResourceQuery) {
    return this.database.query(query, listIntegrations);
  }

  @Handles(OPERATIONS.readIntegration)
  read(query: ResourceQuery) {
    return this.database.query(query, readIntegration);
  }

  @Handles(OPERATIONS.updateIntegration)
  update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(updateIntegration));
  }

  @Handles(OPERATIONS.deleteIntegration)
  delete(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, deleteIntegration);
  }
}
