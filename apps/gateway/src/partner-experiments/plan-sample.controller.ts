import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, KnownQuery } from '../http/route-rules.js';
import { SAMPLE_QUERY, SamplePlanner } from './sample-planner.js';

@Controller('api/v1/partner-experiments/required-sample')
export class PlanSampleController {
  constructor(@Inject(SamplePlanner) private readonly planner: SamplePlanner) {}

  @Get()
  @Credential('management-reader')
  @KnownQuery(...SAMPLE_QUERY)
  plan(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.planner.plan(exchange);
  }
}
