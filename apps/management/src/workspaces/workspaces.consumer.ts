import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { deleteWorkspace } from '../delete-workspace/delete-workspace.js';
import { administerWorkspace } from './administer-workspace.js';
import { createWorkspace } from './create-workspace.js';
import { listWorkspaces } from './list-workspaces.js';
import { readWorkspace } from './read-workspace.js';
import { updateWorkspace } from './update-workspace.js';

@Controller()
export class WorkspacesConsumer {
  constructor(@Inject(ResourceDatabase) private readonly database: ResourceDatabase) {}

  @MessagePattern(OPERATIONS.createWorkspace)
  create(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, createWorkspace);
  }

  @MessagePattern(OPERATIONS.listWorkspaces)
  list(@Payload() message: unknown) {
    return this.database.query(message, listWorkspaces);
  }

  @MessagePattern(OPERATIONS.readWorkspace)
  read(@Payload() message: unknown) {
    return this.database.query(message, readWorkspace);
  }

  @MessagePattern(OPERATIONS.updateWorkspace)
  update(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, updateWorkspace);
  }

  @MessagePattern(OPERATIONS.deleteWorkspace)
  delete(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, deleteWorkspace);
  }

  @MessagePattern(OPERATIONS.administerWorkspace)
  administer(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, administerWorkspace);
  }
}
