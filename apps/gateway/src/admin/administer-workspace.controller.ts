import { Controller, Get, Inject, Param, Patch, Res } from '@nestjs/common';
import { TOPICS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential } from '../http/route-rules.js';
import { PlatformApi } from './platform-api.js';

@Controller('api/admin/workspaces')
export class AdministerWorkspaceController {
  constructor(@Inject(PlatformApi) private readonly api: PlatformApi) {}

  @Get(':workspace_id')
  @Credential('admin')
  read(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.read(exchange, { topic: TOPICS.readWorkspace.name, params });
  }

  @Patch(':workspace_id')
  @Credential('admin')
  update(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.change(exchange, { topic: TOPICS.administerWorkspace.name, params });
  }
}
