import { type IntegrationResource, NEW_INTEGRATION } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { insertIntegration } from '../storage/integration.store.js';
import { exceeds } from '../storage/quota.store.js';
import { holdSite } from '../storage/site.store.js';

/** The gateway has validated the body: it contains no unencrypted secret. */
export async function createIntegration(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId } = command;
  const read = NEW_INTEGRATION.read(command.body);
  if (!read.ok) throw new UnreadableError(read.error);
  const { id, credentials, ...fields } = read.value;
  const site = await holdSite(client, workspaceId, fields.site_id);
  if (site === undefined) return refusals.noSite();
  const exceeded = await exceeds(client, 'integrations', { workspaceId });
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const integration: IntegrationResource = {
    ...newResource(id, nowMs),
    ...fields,
    status: 'pending',
    last_sync_at: null,
    last_error: null,
  };
  await insertIntegration(client, workspaceId, integration, credentials);
  return { ok: integration, audit: { action: 'create', resource: 'integration', resourceId: id } };
}
