import { Controller, Get, Post } from '@nestjs/common';
import { JOB_FILTERS, JobResource, JobSummary } from '@truetally/contracts/jobs';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Exchange, Params } from '../http/exchange.js';
import { PAGE_PARAMETERS } from '../http/page-query.js';
import { Answers, AnswersPageOf, Credential, KnownQuery } from '../http/route-rules.js';
import { ResourceApi } from '../ask/resource.js';

@Controller('api/v1/jobs')
export class JobsController {
  constructor(private readonly api: ResourceApi) {}

  @Get()
  @Credential('management-reader')
  @KnownQuery({ ...PAGE_PARAMETERS, ...JOB_FILTERS })
  @AnswersPageOf(JobSummary)
  list(exchange: Exchange): Promise<void> {
    return this.api.list(exchange, { to: OPERATIONS.listJobs }, JOB_FILTERS);
  }

  @Get(':job_id')
  @Credential('job-follower')
  @Answers(JobResource)
  read(exchange: Exchange, params: Params): Promise<void> {
    return this.api.read(exchange, { to: OPERATIONS.readJob, params });
  }

  @Post(':job_id/cancel')
  @Credential('job-follower')
  @Answers(JobResource)
  cancel(exchange: Exchange, params: Params): Promise<void> {
    return this.api.act(exchange, { to: OPERATIONS.cancelJob, params });
  }
}
