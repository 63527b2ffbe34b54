import { PLANNED_REPLAY, WORKFLOWS_REPLAY } from '@truetally/contracts/outbound';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { beginJob } from '../jobs/begin-job.js';
import { holdOfSite } from '../storage/hold-of-site.js';
import { countUnfinishedJobs } from '../storage/job.store.js';
import { WORKFLOWS } from '../storage/workflow.store.js';
import { exceedsLately } from '../storage/often-made.store.js';

/** Of a workspace: each holds a place among the jobs until its last delivery was tried. */
const MAX_UNFINISHED_REPLAYS = 20;

/** The gateway has counted the deliveries: the job queues them. */
export async function beginWorkflowReplay(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const read = PLANNED_REPLAY.read(command.body);
  if (!read.ok) throw new UnreadableError(read.error);
  const workflow = await holdOfSite(client, command, WORKFLOWS);
  if (workflow === undefined) return refusals.noWorkflow();
  if (!workflow.enabled) return refusals.workflowDisabled();
  const kind = { workspaceId: command.workspace_id, type: WORKFLOWS_REPLAY };
  if ((await countUnfinishedJobs(client, kind)) >= MAX_UNFINISHED_REPLAYS)
    return refusals.quotaExceeded({ quota: 'unfinished_replays', most: MAX_UNFINISHED_REPLAYS });
  const exceeded = await exceedsLately(client, 'jobs', { workspaceId: command.workspace_id });
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const { from, to, statuses, matched } = read.value;
  const params = {
    site_id: workflow.site_id,
    workflow_id: workflow.id,
    from,
    to,
    statuses: statuses.join(','),
    matched: String(matched),
  };
  const { jobId, fact } = await beginJob(client, command, context, { type: WORKFLOWS_REPLAY, params });
  return {
    ok: { job_id: jobId, matched },
    facts: [fact],
    audit: { action: 'replay', resource: 'workflow', resourceId: workflow.id },
  };
}
