import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { logged } from '../audit-log/logged.js';
import { beginWorkflowReplay } from './begin-workflow-replay.js';
import { createWorkflow } from './create-workflow.js';
import { deleteWorkflow } from './delete-workflow.js';
import { listWorkflows, readWorkflow } from './read-workflow.js';
import { recordWorkflowOutcome } from './record-workflow-outcome.js';
import { updateWorkflow } from './update-workflow.js';

@Controller()
export class WorkflowsConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createWorkflow)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(createWorkflow));
  }

  @Handles(OPERATIONS.listWorkflows)
  list(query: ResourceQuery) {
    return this.database.query(query, listWorkflows);
  }

  @Handles(OPERATIONS.readWorkflow)
  read(query: ResourceQuery) {
    return this.database.query(query, readWorkflow);
  }

  @Handles(OPERATIONS.updateWorkflow)
  update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(updateWorkflow));
  }

  @Handles(OPERATIONS.deleteWorkflow)
  delete(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, deleteWorkflow);
  }

  @Handles(OPERATIONS.beginWorkflowReplay)
  beginReplay(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, beginWorkflowReplay);
  }

  @Handles(OPERATIONS.recordWorkflowOutcome)
  recordOutcome(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, recordWorkflowOutcome);
  }
}
