import { Controller, Delete, Get, Inject, Param, Patch, Post, Res } from '@nestjs/common';
import { OwnWorkspace, WorkspaceResource, WorkspaceBody } from '@truetally/contracts/management';
import { ErasedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';
import { ResourceApi } from '../http/resource-api.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';

@Controller('api/v1/workspaces')
export class WorkspacesController {
  constructor(
    @Inject(ResourceApi) private readonly api: ResourceApi,
    @Inject(KnownChanges) private readonly known: KnownChanges,
  ) {}

  @Post()
  @Credential('user')
  @JsonBody(WorkspaceBody)
  @Answers(WorkspaceResource, 201)
  create(@Res() { exchange }: EdgeResponse): Promise<void> {
    const isKnown = this.known.workspaceMadeBy(exchange.callerWithLimit());
    return this.api.create(exchange, { to: OPERATIONS.createWorkspace, isKnown });
  }

  @Get()
  @Credential('user')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(OwnWorkspace)
  list(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listWorkspaces });
  }

  @Get(':workspace_id')
  @Credential('workspace-member')
  @Answers(WorkspaceResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readWorkspace, params });
  }

  @Patch(':workspace_id')
  @Credential('workspace-writer')
  @JsonBody(WorkspaceBody)
  @Answers(WorkspaceResource)
  update(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.change(exchange, { to: OPERATIONS.updateWorkspace, params });
  }

  @Delete(':workspace_id')
  @Credential('workspace-owner')
  @Answers(ErasedResource)
  delete(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    const isKnown = this.known.workspaceGoneFor(exchange.callerWithLimit());
    return this.api.delete(exchange, { to: OPERATIONS.deleteWorkspace, params, isKnown });
  }
}
