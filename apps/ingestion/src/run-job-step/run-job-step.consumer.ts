import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type JobStepReport } from '@truetally/contracts/jobs';
import { TOPICS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { RunJobStepHandler } from './run-job-step.handler.js';

@Controller()
export class RunJobStepConsumer {
  constructor(@Inject(RunJobStepHandler) private readonly handler: RunJobStepHandler) {}

  @MessagePattern(TOPICS.runIngestionStep.name)
  runJobStep(@Payload() body: unknown): Promise<Reply<JobStepReport>> {
    return this.handler.handle(body);
  }
}
