import type { ResourceCommand } from '@truetally/contracts/resource';
import { isStale, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { holdOfSite } from '../sites/hold-of-site.js';
import { INTEGRATIONS, removeIntegration } from '../storage/integration.store.js';

export async function deleteIntegration(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const { version } = command;
  const integration = await holdOfSite(client, command, INTEGRATIONS);
  if (integration === undefined) return refusals.noIntegration();
  if (isStale(version, integration.version)) return refusals.staleVersion(integration.version);
  await removeIntegration(client, integration.id);
  return {
    ok: { id: integration.id, deleted: true },
    audit: { action: 'delete', resource: 'integration', resourceId: integration.id },
  };
}
