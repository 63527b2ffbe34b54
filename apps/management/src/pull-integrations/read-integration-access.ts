import { isJsonObject } from '@truetally/contracts/validation';
import { fail, type Reply, type Result, succeed } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findIntegrationAccess } from '../storage/pull.store.js';

interface AskedAccess {
  readonly integration_id: string;
}

/** Reads the message; never throws. */
export function readAccess(message: unknown): Result<AskedAccess, string> {
  const id = isJsonObject(message) ? message['integration_id'] : undefined;
  return typeof id === 'string' ? succeed({ integration_id: id }) : fail('unreadable: integration_id');
}

/** For the pulling service: credentials stay sealed on the way, and only the keyring opens them. */
export async function readIntegrationAccess(
  client: Queryable,
  { integration_id: id }: AskedAccess,
): Promise<Reply<object>> {
  const access = await findIntegrationAccess(client, id);
  return access === undefined ? refusals.noIntegration() : { ok: access };
}
