import type { ResourceCommand } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import { isStale, type CommandContext, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { siteErasedFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { beginJob } from '../jobs/begin-job.js';
import { tombstone } from '../jobs/erasures.js';
import { lockSite, markSiteDeleted } from '../storage/site.store.js';
import { holdWorkspace } from '../storage/workspace.store.js';

/**
 * Deletes a site for all readers at once: queries find nothing, and every gateway refuses its keys and tokens
 * as soon as it receives the deletion. The answered job erases its data.
 */
export async function deleteSite(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, params, version } = command;
  // The workspace before its site: the lock order of every command.
  const workspace = await holdWorkspace(client, workspaceId);
  const site = await lockSite(client, workspaceId, paramOf(params, 'site_id'));
  if (workspace === undefined || site === undefined) return refusals.noSite();
  if (isStale(version, site.version)) return refusals.staleVersion(site.version);
  await markSiteDeleted(client, site.id);
  const job = await beginJob(client, command, context, {
    type: 'site.delete',
    params: { site_ids: [site.id] },
  });
  return {
    ok: { id: site.id, deleted: true, job_id: job.jobId },
    facts: [tombstone(TOPICS.sites.name, site.id), siteErasedFact(site.id), job.fact],
    audit: { action: 'delete', resource: 'site', resourceId: site.id },
  };
}
