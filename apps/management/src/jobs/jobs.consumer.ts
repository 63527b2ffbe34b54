import type { ResourceAnswers } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { cancelJob } from './cancel-job.js';
import { EVERY_JOB } from './every-job.js';
import type { JobRunner } from './job-runner.js';
import { listJobs } from './list-jobs.js';
import { readJob } from './read-job.js';

export const jobsAnswers = ({ command, query }: ResourceAnswers, runner: JobRunner): Answers => ({
  /** There is a new job: the worker takes the one that has waited longest. */
  runJob: () => {
    runner.wake();
    return { ok: null };
  },
  readJob: query(readJob),
  listJobs: query(listJobs),
  cancelJob: command((client, asked, context) => cancelJob(client, asked, context, EVERY_JOB)),
});
