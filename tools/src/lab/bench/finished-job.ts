import { setTimeout as delay } from 'node:timers/promises';
import type { JobResource } from '@truetally/contracts/jobs';
import { eventually } from '@truetally/processes';
import { ask } from './management.js';
import type { ProductStack } from './product-stack.js';

const POLL_MS = 50;
const TIMEOUT_MS = 300_000;
const MS_PER_SECOND = 1_000;

/** A job at its end, and how long after this call that was. @throws Error when it has failed */
export async function finishedJob(
  stack: ProductStack,
  jobId: string,
): Promise<{ readonly job: JobResource; readonly seconds: number }> {
  const startedAt = performance.now();
  const job = await eventually(
    async () => {
      const found = await ask<JobResource>(stack, `jobs/${jobId}`);
      if (found.finished_at !== null) return found;
      await delay(POLL_MS);
      return undefined;
    },
    { timeoutMs: TIMEOUT_MS, message: `job ${jobId} to end` },
  );
  if (job.state !== 'completed') throw new Error(`The job ${jobId} is ${job.state}.`);
  return { job, seconds: (performance.now() - startedAt) / MS_PER_SECOND };
}
