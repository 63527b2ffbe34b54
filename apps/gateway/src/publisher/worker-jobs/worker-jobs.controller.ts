import { Controller, Post } from '@nestjs/common';
import { StartedJob } from '@truetally/contracts/jobs';
import { WorkerJobBody } from '@truetally/contracts/publisher';
import type { Exchange, Params } from '../../http/exchange.js';
import { Answers, Credential, ReceivesBody, Refuses, Signed } from '../../http/route-rules.js';
import { WorkerJobStarter } from './worker-job-starter.js';

@Controller('api/v1/integrations/jobs')
export class WorkerJobsController {
  constructor(private readonly starter: WorkerJobStarter) {}

  /** Guarded by the signature over the body. */
  @Post(':type')
  @Credential('public')
  @ReceivesBody({ 'application/json': WorkerJobBody })
  @Signed()
  @Answers(StartedJob, 202)
  @Refuses(409)
  start(exchange: Exchange, { type }: Params<'type'>): Promise<void> {
    return this.starter.start(exchange, type);
  }
}
