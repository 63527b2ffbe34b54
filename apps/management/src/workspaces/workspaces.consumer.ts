import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { deleteWorkspace } from '../delete-workspace/delete-workspace.js';
import { logged } from '../audit-log/logged.js';
import { administerWorkspace } from './administer-workspace.js';
import { createWorkspace } from './create-workspace.js';
import { listWorkspaces } from './list-workspaces.js';
import { readWorkspace } from './read-workspace.js';
import { updateWorkspace } from './update-workspace.js';

@Controller()
export class WorkspacesConsumer {
  constructor(private readonly database: ResourceDatabase) {}

  @Handles(OPERATIONS.createWorkspace)
  create(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, createWorkspace);
  }

  @Handles(OPERATIONS.listWorkspaces)
  list(query: ResourceQuery) {
    return this.database.query(query, listWorkspaces);
  }

  @Handles(OPERATIONS.readWorkspace)
  read(query: ResourceQuery) {
    return this.database.query(query, readWorkspace);
  }

  @Handles(OPERATIONS.updateWorkspace)
  update(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, logged(updateWorkspace));
  }

  @Handles(OPERATIONS.deleteWorkspace)
  delete(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, deleteWorkspace);
  }

  @Handles(OPERATIONS.administerWorkspace)
  administer(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, administerWorkspace);
  }
}
