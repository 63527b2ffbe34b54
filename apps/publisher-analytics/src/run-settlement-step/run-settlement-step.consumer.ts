import { Controller } from '@nestjs/common';
import type { JobStep } from '@truetally/contracts/jobs';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { RunSettlementStepHandler } from './run-settlement-step.handler.js';

@Controller()
export class RunSettlementStepConsumer {
  constructor(private readonly handler: RunSettlementStepHandler) {}

  @Handles(OPERATIONS.runSettlementStep)
  runSettlementStep(step: JobStep) {
    return this.handler.handle(step);
  }
}
