import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { cancelJob } from './cancel-job.js';
import { EVERY_JOB } from './every-job.js';
import { JobRunner } from './job-runner.js';
import { listJobs } from './list-jobs.js';
import { readJob } from './read-job.js';

@Controller()
export class JobsConsumer {
  constructor(
    private readonly database: ResourceDatabase,
    private readonly runner: JobRunner,
  ) {}

  /** There is a new job: the worker takes the one that has waited longest. */
  @Handles(OPERATIONS.runJob)
  run(): Reply<null> {
    this.runner.wake();
    return { ok: null };
  }

  @Handles(OPERATIONS.readJob)
  read(query: ResourceQuery) {
    return this.database.query(query, readJob);
  }

  @Handles(OPERATIONS.listJobs)
  list(query: ResourceQuery) {
    return this.database.query(query, listJobs);
  }

  @Handles(OPERATIONS.cancelJob)
  cancel(command: ResourceCommand, { correlationId }: AskContext) {
    return this.database.command(command, correlationId, (client, command, context) =>
      cancelJob(client, command, context, EVERY_JOB),
    );
  }
}
