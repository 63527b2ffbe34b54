import { Controller, Get, Inject, Param, Patch, Res } from '@nestjs/common';
import { WorkspaceResource, WorkspaceStateBody } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { ResourceApi } from '../http/resource-api.js';
import { Answers, Credential, JsonBody } from '../http/route-rules.js';

@Controller('api/admin/workspaces')
export class AdministerWorkspaceController {
  constructor(@Inject(ResourceApi) private readonly api: ResourceApi) {}

  @Get(':workspace_id')
  @Credential('admin')
  @Answers(WorkspaceResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readWorkspace, params });
  }

  @Patch(':workspace_id')
  @Credential('admin')
  @JsonBody(WorkspaceStateBody)
  @Answers(WorkspaceResource)
  update(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.change(exchange, { to: OPERATIONS.administerWorkspace, params });
  }
}
