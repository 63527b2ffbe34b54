import type { IntegrationResource, ManagementQuery } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { findIntegration } from '../storage/integration.store.js';
import type { Queryable } from '../storage/page.js';

export async function readIntegration(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<IntegrationResource>> {
  const integration = await findIntegration(client, query.workspace_id, query.params['id']);
  return integration === undefined ? refusals.noIntegration() : { ok: integration };
}
