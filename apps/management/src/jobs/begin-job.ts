import type { ResourceCommand } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import { commandHeaders } from '@truetally/messaging';
import type { OutgoingFact } from '@truetally/persistence';
import type { CommandContext } from '@truetally/resource';
import type { ClientBase } from 'pg';
import type { JobParams } from '../domain/job.js';
import { insertJob } from '../storage/job.store.js';

/** A stored job, and the message that wakes a worker: publish it with the command's facts. */
export interface BegunJob {
  readonly jobId: string;
  readonly fact: OutgoingFact;
}

/** Begins a job in the command's transaction. */
export async function beginJob(
  client: ClientBase,
  { workspace_id: workspaceId, actor }: Pick<ResourceCommand, 'actor' | 'workspace_id'>,
  { nowMs, newId }: CommandContext,
  { type, params }: { readonly type: string; readonly params: JobParams },
): Promise<BegunJob> {
  const jobId = newId();
  const startedBy = actor ?? { sub: null, key_id: null };
  await insertJob(client, { jobId, workspaceId, type, params, startedBy, createdAtMs: nowMs });
  const value = JSON.stringify({ job_id: jobId });
  return {
    jobId,
    fact: { topic: TOPICS.runJob.name, key: jobId, value, headers: commandHeaders(jobId) },
  };
}
