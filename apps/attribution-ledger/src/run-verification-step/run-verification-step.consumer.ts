import { Controller } from '@nestjs/common';
import type { JobStep } from '@truetally/contracts/jobs';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { RunVerificationStepHandler } from './run-verification-step.handler.js';

@Controller()
export class RunVerificationStepConsumer {
  constructor(private readonly handler: RunVerificationStepHandler) {}

  @Handles(OPERATIONS.runVerificationStep)
  runVerificationStep(step: JobStep) {
    return this.handler.handle(step);
  }
}
