import type { ResourceCommand } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberGoneFact, siteErasedFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { beginJob } from '../jobs/begin-job.js';
import { tombstone } from '../jobs/erasures.js';
import { actingMember } from '../members/acting-member.js';
import { membersOfWorkspace } from '../storage/member.store.js';
import { markSitesDeleted, sitesToErase } from '../storage/site.store.js';
import { markWorkspaceDeleted } from '../storage/workspace.store.js';

/**
 * Deletes a workspace for all readers at once, with its sites and its members. The answered job erases their
 * data; the user who deleted the workspace can follow it to its end.
 */
export async function deleteWorkspace(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, version } = command;
  const acting = await actingMember(client, command);
  if (acting === undefined) return refusals.noWorkspace();
  const { workspace, role } = acting;
  if (role !== 'owner' && role !== 'platform') return refusals.roleForbidden();
  if (isStale(version, workspace.version)) return refusals.staleVersion(workspace.version);
  const siteIds = await sitesToErase(client, workspaceId);
  const members = await membersOfWorkspace(client, workspaceId);
  await markSitesDeleted(client, workspaceId);
  await markWorkspaceDeleted(client, workspaceId);
  const job = await beginJob(client, command, context, {
    type: 'workspace.delete',
    params: { site_ids: siteIds },
  });
  return {
    ok: { id: workspaceId, deleted: true, job_id: job.jobId },
    facts: [
      ...siteIds.flatMap((siteId) => [tombstone(TOPICS.sites.name, siteId), siteErasedFact(siteId)]),
      ...members.map(memberGoneFact),
      job.fact,
    ],
    audit: { action: 'delete', resource: 'workspace', resourceId: workspaceId },
  };
}
