import { Controller, Get, Patch } from '@nestjs/common';
import { WorkspaceResource, WorkspaceStateBody } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { ResourceApi } from '../ask/resource.js';
import type { Exchange, Params } from '../http/exchange.js';
import { Answers, Credential, JsonBody } from '../http/route-rules.js';

@Controller('api/admin/workspaces')
export class AdministerWorkspaceController {
  constructor(private readonly api: ResourceApi) {}

  @Get(':workspace_id')
  @Credential('admin')
  @Answers(WorkspaceResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readWorkspace, params });
  }

  @Patch(':workspace_id')
  @Credential('admin')
  @JsonBody(WorkspaceStateBody)
  @Answers(WorkspaceResource)
  update(exchange: Exchange, params: Params): Promise<void> {
    return this.api.change(exchange, { to: OPERATIONS.administerWorkspace, params });
  }
}
