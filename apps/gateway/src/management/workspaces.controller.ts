import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { OwnWorkspace, WorkspaceResource, WorkspaceBody } from '@truetally/contracts/management';
import { ErasedResource } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, AnswersPageOf, Credential, JsonBody, KnownQuery } from '../http/route-rules.js';
import { KnownChanges } from './known-changes.js';
import { ResourceApi } from '../ask/resource.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';

@Controller('api/v1/workspaces')
export class WorkspacesController {
  constructor(
    private readonly api: ResourceApi,
    private readonly known: KnownChanges,
  ) {}

  @Post()
  @Credential('user')
  @JsonBody(WorkspaceBody)
  @Answers(WorkspaceResource, 201)
  create(exchange: Exchange): Promise<void> {
    const isKnown = this.known.workspaceMadeBy(exchange.callerWithLimit());
    return this.api.create(exchange, { to: OPERATIONS.createWorkspace, isKnown });
  }

  @Get()
  @Credential('user')
  @KnownQuery(PAGE_PARAMETERS)
  @AnswersPageOf(OwnWorkspace)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listWorkspaces });
  }

  @Get(':workspace_id')
  @Credential('workspace-member')
  @Answers(WorkspaceResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readWorkspace, params });
  }

  @Patch(':workspace_id')
  @Credential('workspace-writer')
  @JsonBody(WorkspaceBody)
  @Answers(WorkspaceResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    return this.api.change(exchange, { to: OPERATIONS.updateWorkspace, params });
  }

  @Delete(':workspace_id')
  @Credential('workspace-owner')
  @Answers(ErasedResource)
  delete(exchange: Exchange, params: Params): Promise<void> {
    const isKnown = this.known.workspaceGoneFor(exchange.callerWithLimit());
    return this.api.delete(exchange, { to: OPERATIONS.deleteWorkspace, params, isKnown });
  }
}
