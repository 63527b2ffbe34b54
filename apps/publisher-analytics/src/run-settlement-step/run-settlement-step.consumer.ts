import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type JobStepReport } from '@truetally/contracts/jobs';
import { TOPICS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { RunSettlementStepHandler } from './run-settlement-step.handler.js';

@Controller()
export class RunSettlementStepConsumer {
  constructor(@Inject(RunSettlementStepHandler) private readonly handler: RunSettlementStepHandler) {}

  @MessagePattern(TOPICS.runSettlementStep.name)
  runSettlementStep(@Payload() body: unknown): Promise<Reply<JobStepReport>> {
    return this.handler.handle(body);
  }
}
