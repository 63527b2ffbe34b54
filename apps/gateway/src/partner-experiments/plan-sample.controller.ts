import { Controller, Get } from '@nestjs/common';
import { RequiredSample } from '@truetally/contracts/experiments';
import type { Exchange } from '../http/exchange.js';
import { Credential, KnownQuery, Answers } from '../http/route-rules.js';
import { SAMPLE_QUERY, SamplePlanner } from './sample-planner.js';

@Controller('api/v1/partner-experiments/required-sample')
export class PlanSampleController {
  constructor(private readonly planner: SamplePlanner) {}

  @Get()
  @Credential('management-reader')
  @KnownQuery(SAMPLE_QUERY)
  @Answers(RequiredSample)
  plan(exchange: Exchange): Promise<void> {
    return this.planner.plan(exchange);
  }
}
