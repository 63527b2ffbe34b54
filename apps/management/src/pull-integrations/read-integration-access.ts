import type { ReadIntegrationAccess } from '@truetally/contracts/publisher';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findIntegrationAccess } from '../storage/pull.store.js';

/** For the pulling service: credentials stay sealed on the way, and only the keyring opens them. */
export async function readIntegrationAccess(
  client: Queryable,
  { integration_id: id }: ReadIntegrationAccess,
): Promise<Reply<object>> {
  const access = await findIntegrationAccess(client, id);
  return access === undefined ? refusals.noIntegration() : { ok: access };
}
