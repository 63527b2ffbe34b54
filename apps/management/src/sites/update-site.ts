import { readSite as readSiteBody } from '@truetally/contracts/management';
import { patchedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { patchFields } from '@truetally/kernel';
import { isStale, type CommandContext, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { siteFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { siteFields } from '../domain/site.js';
import { exceedsRecords } from '../storage/held-records.store.js';
import { exceedsChosen, quotaOf } from '../storage/quota.store.js';
import { lockSite, noteTimeZoneChange, storeSite, TIME_ZONE_CHANGES_A_DAY } from '../storage/site.store.js';
import { holdWorkspace } from '../storage/workspace.store.js';

export async function updateSite(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, params, version } = command;
  // The workspace before its site, as in a suspension: the reverse order could deadlock.
  const workspace = await holdWorkspace(client, workspaceId);
  const site = await lockSite(client, workspaceId, paramOf(params, 'site_id'));
  if (workspace === undefined || site === undefined) return refusals.noSite();
  if (isStale(version, site.version)) return refusals.staleVersion(site.version);
  const most = await quotaOf(client, 'site_hourly_limit', workspaceId);
  const fields = readSiteBody(patchFields(siteFields(site), command.body), most);
  if (!fields.ok) return refusals.invalid(fields.error);
  const { runtime_hourly_limit: chosen } = fields.value;
  const holdsMore =
    lengthOf(fields.value.allowed_origins) > lengthOf(site.allowed_origins) ||
    fields.value.partner.providers.length > site.partner.providers.length;
  const exceeded =
    (chosen > site.runtime_hourly_limit ? exceedsChosen('site_hourly_limit', most, chosen) : undefined) ??
    (holdsMore ? await exceedsRecords(client, workspaceId) : undefined);
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  if (fields.value.timezone !== site.timezone && !(await noteTimeZoneChange(client, site.id)))
    return refusals.quotaExceeded({ quota: 'timezone_changes', most: TIME_ZONE_CHANGES_A_DAY });
  const changed = patchedResource(site, fields.value, nowMs);
  const isSame = changed === site;
  if (!isSame) await storeSite(client, changed);
  return {
    ok: changed,
    facts: isSame ? [] : [siteFact(changed, workspace.suspended)],
    audit: { action: 'update', resource: 'site', resourceId: site.id },
  };
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
