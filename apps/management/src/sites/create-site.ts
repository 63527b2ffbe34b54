import { readSite as readSiteBody, type SiteResource } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { siteFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { exceedsRecords } from '../storage/held-records.store.js';
import { exceeds, exceedsChosen, quotaOf } from '../storage/quota.store.js';
import { insertSite } from '../storage/site.store.js';
import { holdWorkspace } from '../storage/workspace.store.js';

export async function createSite(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const most = await quotaOf(client, 'site_hourly_limit', command.workspace_id);
  const fields = readSiteBody(command.body, most);
  if (!fields.ok) return refusals.invalid(fields.error);
  const workspace = await holdWorkspace(client, command.workspace_id);
  if (workspace === undefined) return refusals.noWorkspace();
  const { runtime_hourly_limit: chosen } = fields.value;
  const { id: workspaceId } = workspace;
  const exceeded =
    (await exceeds(client, 'sites', { workspaceId })) ??
    (await exceedsRecords(client, workspaceId)) ??
    exceedsChosen('site_hourly_limit', most, chosen);
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const site: SiteResource = {
    ...newResource(newId(), nowMs),
    workspace_id: command.workspace_id,
    ...fields.value,
  };
  await insertSite(client, site);
  return {
    ok: site,
    facts: [siteFact(site, workspace.suspended)],
    audit: { action: 'create', resource: 'site', resourceId: site.id },
  };
}
