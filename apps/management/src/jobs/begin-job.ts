import type { ResourceCommand } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import { commandHeaders } from '@truetally/messaging';
import type { OutgoingFact } from '@truetally/persistence';
import type { CommandContext } from '@truetally/resource';
import type { ClientBase } from 'pg';
import type { JobParams } from '../domain/job.js';
import { insertJob } from '../storage/job.store.js';

/** A job that stands in the table, and the message that sends a worker to it: to be told with the command's facts. */
export interface BegunJob {
  readonly jobId: string;
  readonly fact: OutgoingFact;
}

/** Begins a job in the transaction of the command that needs it. */
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
