import type { IntegrationResource } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import type { ClientBase } from 'pg';
import { lockIntegration, siteOfIntegration } from '../storage/integration.store.js';
import { holdSite } from '../storage/site.store.js';

/** The integration that the path names, for a change: its site before it, as every command takes them. */
export async function holdIntegration(
  client: ClientBase,
  { workspace_id: workspaceId, params }: ResourceCommand,
): Promise<IntegrationResource | undefined> {
  const siteId = await siteOfIntegration(client, params['id']);
  const site = siteId === undefined ? undefined : await holdSite(client, workspaceId, siteId);
  return site === undefined ? undefined : lockIntegration(client, params['id']);
}
