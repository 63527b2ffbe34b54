import type { ResourceCommand } from '@truetally/contracts/resource';
import { paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import type { ApiKey } from '../domain/api-key.js';
import { lockApiKey } from '../storage/api-key.store.js';
import { holdSite } from '../storage/site.store.js';

/** The key in the path, for a change; locks its site against deletion. */
export async function lockKeyOfSite(
  client: ClientBase,
  command: ResourceCommand,
): Promise<ApiKey | undefined> {
  const site = await holdSite(client, command.workspace_id, paramOf(command.params, 'site_id'));
  return site === undefined ? undefined : lockApiKey(client, command);
}
