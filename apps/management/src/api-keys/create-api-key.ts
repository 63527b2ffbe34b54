import { readApiKey as readApiKeyBody } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import { type CommandContext, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import type { ApiKey } from '../domain/api-key.js';
import { credentialFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { insertApiKey } from '../storage/api-key.store.js';
import { exceedsRecords } from '../storage/held-records.store.js';
import { exceeds, exceedsChosen, exceedsRetainedKeys, quotaOf } from '../storage/quota.store.js';
import { holdSite } from '../storage/site.store.js';
import { mintedBodyOf } from './minted-body.js';

/**
 * The gateway minted the key: only its prefix and hash arrive here, so that no topic, table or log contains a
 * secret.
 */
export async function createApiKey(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, params } = command;
  const { fields: body, prefix, hash } = mintedBodyOf(command);
  const most = await quotaOf(client, 'api_key_hourly_limit', workspaceId);
  const fields = readApiKeyBody(body, nowMs, most);
  if (!fields.ok) return refusals.invalid(fields.error);
  const site = await holdSite(client, workspaceId, paramOf(params, 'site_id'));
  if (site === undefined) return refusals.noSite();
  const exceeded =
    (await exceeds(client, 'api_keys', { workspaceId, siteId: site.id })) ??
    (await exceedsRetainedKeys(client, workspaceId, site.id)) ??
    (await exceedsRecords(client, workspaceId)) ??
    exceedsChosen('api_key_hourly_limit', most, fields.value.hourly_limit);
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const key: ApiKey = {
    resource: {
      ...newResource(newId(), nowMs),
      site_id: site.id,
      ...fields.value,
      prefix,
      revoked_at: null,
      last_used_at: null,
    },
    workspaceId,
    hash,
    // A new key has a limit of its own; only rotation makes keys share one.
    limitId: newId(),
  };
  const isNew = await insertApiKey(client, key);
  if (!isNew) return refusals.keyTaken();
  return {
    ok: key.resource,
    facts: [credentialFact(key)],
    audit: { action: 'create', resource: 'api_key', resourceId: key.resource.id },
  };
}
