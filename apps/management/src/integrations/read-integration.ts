import type { IntegrationResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type Queryable, paramOf } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findIntegration } from '../storage/integration.store.js';

export async function readIntegration(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<IntegrationResource>> {
  const integration = await findIntegration(client, query.workspace_id, paramOf(query.params, 'id'));
  return integration === undefined ? refusals.noIntegration() : { ok: integration };
}
