import { INTEGRATION_CHANGE } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { changedIntegration } from '../domain/integration.js';
import { refusals } from '../domain/refusals.js';
import { holdOfSite } from '../storage/hold-of-site.js';
import { INTEGRATIONS, storeIntegration } from '../storage/integration.store.js';

export async function updateIntegration(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const read = INTEGRATION_CHANGE.read(command.body);
  if (!read.ok) throw new UnreadableError(read.error);
  const integration = await holdOfSite(client, command, INTEGRATIONS);
  if (integration === undefined) return refusals.noIntegration();
  const { version } = command;
  if (isStale(version, integration.version)) return refusals.staleVersion(integration.version);
  const changed = changedIntegration(integration, read.value, nowMs);
  if (!changed.ok) return refusals.invalid(changed.error);
  if (changed.value !== integration) await storeIntegration(client, changed.value, read.value.credentials);
  return {
    ok: changed.value,
    audit: { action: 'update', resource: 'integration', resourceId: integration.id },
  };
}
