import { Controller, Get, Inject, Res } from '@nestjs/common';
import { RequiredSample } from '@truetally/contracts/experiments';
import type { EdgeResponse } from '../http/exchange.js';
import { Credential, KnownQuery, Answers } from '../http/route-rules.js';
import { SAMPLE_QUERY, SamplePlanner } from './sample-planner.js';

@Controller('api/v1/partner-experiments/required-sample')
export class PlanSampleController {
  constructor(@Inject(SamplePlanner) private readonly planner: SamplePlanner) {}

  @Get()
  @Credential('management-reader')
  @KnownQuery(SAMPLE_QUERY)
  @Answers(RequiredSample)
  plan(@Res() { exchange }: EdgeResponse): Promise<void> {
    return this.planner.plan(exchange);
  }
}
