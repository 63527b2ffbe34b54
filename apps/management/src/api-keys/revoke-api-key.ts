import type { ResourceCommand } from '@truetally/contracts/resource';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { revoked } from '../domain/api-key.js';
import { credentialFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { storeApiKey } from '../storage/api-key.store.js';
import { lockKeyOfSite } from './lock-key-of-site.js';

/** Repeated revocation is not an error: the first time is kept. */
export async function revokeApiKey(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const key = await lockKeyOfSite(client, command);
  if (key === undefined) return refusals.noApiKey();
  const { id, version, revoked_at } = key.resource;
  if (isStale(command.version, version)) return refusals.staleVersion(version);
  const answer = { id, deleted: true };
  if (revoked_at !== null) return { ok: answer };
  const changed = revoked(key, nowMs);
  await storeApiKey(client, changed);
  return {
    ok: answer,
    facts: [credentialFact(changed)],
    audit: { action: 'revoke', resource: 'api_key', resourceId: id },
  };
}
