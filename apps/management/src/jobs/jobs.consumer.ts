import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS, TOPICS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { type AskContext } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { cancelJob } from './cancel-job.js';
import { EVERY_JOB } from './every-job.js';
import { JobRunner } from './job-runner.js';
import { readJob } from './read-job.js';

@Controller()
export class JobsConsumer {
  constructor(
    @Inject(ResourceDatabase) private readonly database: ResourceDatabase,
    @Inject(JobRunner) private readonly runner: JobRunner,
  ) {}

  /** There is a new job: the worker takes the one that has waited longest. */
  @MessagePattern(TOPICS.runJob.name)
  run(): Reply<null> {
    this.runner.wake();
    return { ok: null };
  }

  @MessagePattern(OPERATIONS.readJob)
  read(@Payload() message: unknown) {
    return this.database.query(message, readJob);
  }

  @MessagePattern(OPERATIONS.cancelJob)
  cancel(@Payload() message: unknown, @Ctx() { correlationId }: AskContext) {
    return this.database.command(message, correlationId, (client, command, context) =>
      cancelJob(client, command, context, EVERY_JOB),
    );
  }
}
