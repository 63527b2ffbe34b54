import { readApiKey as readApiKeyBody } from '@truetally/contracts/management';
import { patchedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { patchFields } from '@truetally/kernel';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { apiKeyFields, isLive } from '../domain/api-key.js';
import { credentialFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { storeApiKey } from '../storage/api-key.store.js';
import { exceedsChosen, quotaOf } from '../storage/quota.store.js';
import { lockKeyOfSite } from './lock-key-of-site.js';

export async function updateApiKey(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { version, body, workspace_id: workspaceId } = command;
  const key = await lockKeyOfSite(client, command);
  if (key === undefined) return refusals.noApiKey();
  const { resource } = key;
  if (isStale(version, resource.version)) return refusals.staleVersion(resource.version);
  if (!isLive(resource, nowMs)) return refusals.keyNotLive();
  const most = await quotaOf(client, 'api_key_hourly_limit', workspaceId);
  const fields = readApiKeyBody(patchFields(apiKeyFields(resource), body), nowMs, most);
  if (!fields.ok) return refusals.invalid(fields.error);
  const { hourly_limit: chosen } = fields.value;
  // A quota that was lowered takes nothing away.
  const isRaised = chosen > resource.hourly_limit;
  const exceeded = isRaised ? exceedsChosen('api_key_hourly_limit', most, chosen) : undefined;
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const changed = { ...key, resource: patchedResource(resource, fields.value, nowMs) };
  const isSame = changed.resource === resource;
  if (!isSame) await storeApiKey(client, changed);
  return {
    ok: changed.resource,
    facts: isSame ? [] : [credentialFact(changed)],
    audit: { action: 'update', resource: 'api_key', resourceId: resource.id },
  };
}
