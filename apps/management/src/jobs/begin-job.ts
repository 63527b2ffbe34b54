import { auditActor } from '@truetally/contracts/facts';
import type { Actor, ResourceCommand } from '@truetally/contracts/resource';
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

export interface BeginningJob {
  readonly type: string;
  /** With `site_id`, or with `site_ids` of exactly one, it is that site's. */
  readonly params: JobParams;
  /** How many rows it has, where that is known before it runs (0). */
  readonly total?: number;
  /** Default: as the audit log names the actor. */
  readonly startedByName?: string;
}

/** Begins a job in the command's transaction. */
export async function beginJob(
  client: ClientBase,
  { workspace_id: workspaceId, actor }: Pick<ResourceCommand, 'actor' | 'workspace_id'>,
  { nowMs, newId }: CommandContext,
  { type, params, total = 0, startedByName }: BeginningJob,
): Promise<BegunJob> {
  const jobId = newId();
  const startedBy = actor ?? { sub: null, key_id: null };
  const siteId = type === 'workspace.delete' ? null : siteOf(params);
  await insertJob(client, {
    ...{ jobId, workspaceId, siteId, type, params, total },
    ...{ startedBy, startedByName: startedByName ?? nameOfActor(actor), createdAtMs: nowMs },
  });
  const value = JSON.stringify({ job_id: jobId });
  return {
    jobId,
    fact: { topic: TOPICS.runJob.name, key: jobId, value, headers: commandHeaders(jobId) },
  };
}

/** As the audit log names the actor; null for the platform itself. */
export function nameOfActor(actor: Actor | null): string | null {
  if (actor === null) return null;
  const { sub, key_prefix: keyPrefix } = actor;
  if (sub !== null) return auditActor({ sub });
  return keyPrefix === null ? null : auditActor({ keyPrefix });
}

function siteOf({ site_id: siteId, site_ids: siteIds }: JobParams): string | null {
  if (typeof siteId === 'string') return siteId;
  const isOne = Array.isArray(siteIds) && siteIds.length === 1;
  return isOne && typeof siteIds[0] === 'string' ? siteIds[0] : null;
}
