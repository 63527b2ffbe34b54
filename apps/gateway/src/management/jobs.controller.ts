import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import { JobResource } from '@truetally/contracts/jobs';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { EdgeResponse } from '../http/exchange.js';
import { Answers, Credential } from '../http/route-rules.js';
import { ResourceApi } from '../http/resource-api.js';

@Controller('api/v1/jobs')
export class JobsController {
  constructor(@Inject(ResourceApi) private readonly api: ResourceApi) {}

  @Get(':job_id')
  @Credential('job-follower')
  @Answers(JobResource)
  read(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readJob, params });
  }

  @Post(':job_id/cancel')
  @Credential('job-follower')
  @Answers(JobResource)
  cancel(@Res() { exchange }: EdgeResponse, @Param() params: Record<string, string>): Promise<void> {
    return this.api.act(exchange, { to: OPERATIONS.cancelJob, params });
  }
}
