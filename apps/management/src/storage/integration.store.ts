import {
  type IntegrationResource,
  PRODUCT_FEED,
  type SealedCredentials,
} from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, type Queryable, readPageOfSites } from '@truetally/resource';
import type { ClientBase } from 'pg';

interface IntegrationRecord extends IntegrationResource, SealedCredentials {
  readonly workspace_id: string;
}

export const INTEGRATION_TABLE = tableOf<IntegrationRecord>('integrations', 'id', {
  workspace_id: 'uuid',
  key_id: 'text',
  sealed: 'base64',
  id: 'uuid',
  site_id: 'uuid',
  provider: 'text',
  base_url: 'text',
  status: 'text',
  last_sync_at: 'instant',
  last_error: 'text',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
});
/** Queries for answers never read the credentials. */
export const INTEGRATIONS = INTEGRATION_TABLE.without('workspace_id', 'key_id', 'sealed');
const SELECT = `select ${INTEGRATIONS.selection()} from integrations`;
const CHANGING = INTEGRATIONS.only('base_url', 'status', 'last_error', 'version', 'updated_at');
const CREDENTIALS = INTEGRATION_TABLE.only('key_id', 'sealed');

export async function insertIntegration(
  client: ClientBase,
  workspaceId: string,
  integration: IntegrationResource,
  credentials: SealedCredentials,
): Promise<void> {
  const record = { ...integration, ...credentials, workspace_id: workspaceId };
  await client.query(INTEGRATION_TABLE.insert(record));
  await pullSoon(client, integration);
}

/** A merchant who has just set up a feed often asks for it to be read, and corrects it: the schedule lets them. */
const FIRST_READING_SECONDS = 60;

async function pullSoon(client: ClientBase, { id, provider }: IntegrationResource): Promise<void> {
  await client.query(
    'update integrations set failures = 0, next_pull_at = clock_timestamp() + make_interval(secs => $2) where id = $1',
    [id, provider === PRODUCT_FEED ? FIRST_READING_SECONDS : 0],
  );
}

/** An integration of an existing site of this workspace. */
export async function findIntegration(
  client: Queryable,
  workspaceId: string,
  id: string,
): Promise<IntegrationResource | undefined> {
  const { rows } = await client.query(
    `${SELECT} where id = $2 and exists (
       select from sites where sites.site_id = integrations.site_id and workspace_id = $1 and deleted_at is null)`,
    [workspaceId, id],
  );
  return rows.map(INTEGRATIONS.read)[0];
}

/** @param credentials undefined keeps the stored ones */
export async function storeIntegration(
  client: ClientBase,
  integration: IntegrationResource,
  credentials: SealedCredentials | undefined,
): Promise<void> {
  const { id, status } = integration;
  await client.query(CHANGING.update(id, integration));
  if (credentials !== undefined) await client.query(CREDENTIALS.update(id, credentials));
  if (status === 'pending') await pullSoon(client, integration);
}

/** A page of the integrations of these existing sites. */
export function pageOfIntegrations(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  const { provider } = query.filters;
  return readPageOfSites(client, query, siteIds, {
    ...listingOf(INTEGRATIONS),
    where: provider === undefined ? [] : ['provider = $1'],
    values: provider === undefined ? [] : [provider],
  });
}
