import type { ResourceCommand } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import { type CommandContext, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { beginJob } from '../jobs/begin-job.js';
import { tombstone } from '../jobs/erasures.js';
import { lockSite, markSiteDeleted } from '../storage/site.store.js';
import { holdWorkspace } from '../storage/workspace.store.js';

/**
 * Takes a site away from everybody at once: reads find nothing, and every gateway refuses its keys and tokens as soon as
 * it hears that the site is gone. What belongs to it is erased by the job that is answered.
 */
export async function deleteSite(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, params, version } = command;
  // The workspace before its site, as every command takes them.
  const workspace = await holdWorkspace(client, workspaceId);
  const site = await lockSite(client, workspaceId, paramOf(params, 'site_id'));
  if (workspace === undefined || site === undefined) return refusals.noSite();
  if (version !== null && version !== site.version) return refusals.staleVersion(site.version);
  await markSiteDeleted(client, site.id);
  const job = await beginJob(client, command, context, {
    type: 'site.delete',
    params: { site_ids: [site.id] },
  });
  return {
    ok: { id: site.id, deleted: true, job_id: job.jobId },
    facts: [tombstone(TOPICS.sites.name, site.id), job.fact],
    audit: { action: 'delete', resource: 'site', resourceId: site.id },
  };
}
