import { readRotation } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { apiKeyFields, type ApiKey, isLive, retired } from '../domain/api-key.js';
import { credentialFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { insertApiKey, storeApiKey } from '../storage/api-key.store.js';
import { exceedsRecords } from '../storage/held-records.store.js';
import { exceedsRetainedKeys, quotaOf, used } from '../storage/quota.store.js';
import { lockKeyOfSite } from './lock-key-of-site.js';
import { mintedBodyOf } from './minted-body.js';

/** A key and its successor share the quota while both are valid. */
const ROTATED_TIMES_QUOTA = 2;

/**
 * Replaces a key by a new one with the same permissions and expiry; they share the limit while both are
 * valid. The old one expires after the overlap.
 */
export async function rotateApiKey(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const { fields: body, prefix, hash } = mintedBodyOf(command);
  const rotation = readRotation(body);
  if (!rotation.ok) return refusals.invalid(rotation.error);
  const old = await lockKeyOfSite(client, command);
  if (old === undefined) return refusals.noApiKey();
  const { version } = command;
  if (isStale(version, old.resource.version)) {
    return refusals.staleVersion(old.resource.version);
  }
  if (!isLive(old.resource, nowMs)) return refusals.keyNotLive();
  // A rotation must not fail at the quota; but overlaps of a week must not accumulate without bound.
  const workspaceId = command.workspace_id;
  const siteId = old.resource.site_id;
  const most = ROTATED_TIMES_QUOTA * (await quotaOf(client, 'api_keys', workspaceId));
  if ((await used(client, 'api_keys', siteId)) >= most) {
    return refusals.quotaExceeded({ quota: 'api_keys', most });
  }
  const retained =
    (await exceedsRetainedKeys(client, workspaceId, siteId)) ??
    (await exceedsRecords(client, workspaceId, 'rotation'));
  if (retained !== undefined) return refusals.quotaExceeded(retained);
  const successor: ApiKey = {
    ...old,
    resource: {
      ...newResource(newId(), nowMs),
      site_id: old.resource.site_id,
      ...apiKeyFields(old.resource),
      prefix,
      revoked_at: null,
      last_used_at: null,
    },
    hash,
  };
  const isNew = await insertApiKey(client, successor);
  if (!isNew) return refusals.keyTaken();
  const ending = retired(old, rotation.value.overlap_seconds, nowMs);
  await storeApiKey(client, ending);
  return {
    ok: successor.resource,
    // The old key's expiry before the new key: a gateway that knows the new key knows the expiry, too.
    facts: [credentialFact(ending), credentialFact(successor)],
    audit: { action: 'rotate', resource: 'api_key', resourceId: old.resource.id },
  };
}
