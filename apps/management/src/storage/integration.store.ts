import type {
  IntegrationProvider,
  IntegrationResource,
  IntegrationStatus,
  SealedCredentials,
} from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, readPageOfSites } from '@truetally/resource';
import type { ClientBase } from 'pg';

interface IntegrationRow {
  readonly id: string;
  readonly site_id: string;
  readonly provider: IntegrationProvider;
  readonly base_url: string | null;
  readonly status: IntegrationStatus;
  readonly last_sync_at: Date | null;
  readonly last_error: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** All columns but the credentials: queries for answers never read those. */
const COLUMNS =
  'id, site_id, provider, base_url, status, last_sync_at, last_error, version, created_at, updated_at' as const;

export async function insertIntegration(
  client: ClientBase,
  workspaceId: string,
  integration: IntegrationResource,
  credentials: SealedCredentials,
): Promise<void> {
  await client.query(
    `insert into integrations (workspace_id, key_id, sealed, ${COLUMNS})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      workspaceId,
      credentials.key_id,
      Buffer.from(credentials.sealed, 'base64'),
      integration.id,
      integration.site_id,
      integration.provider,
      integration.base_url,
      integration.status,
      integration.last_sync_at,
      integration.last_error,
      integration.version,
      integration.created_at,
      integration.updated_at,
    ],
  );
}

/** An integration of an existing site of this workspace. */
export async function findIntegration(
  client: Queryable,
  workspaceId: string,
  id: string,
): Promise<IntegrationResource | undefined> {
  const { rows } = await client.query<IntegrationRow>(
    `select ${COLUMNS} from integrations where id = $2 and exists (
       select from sites where sites.site_id = integrations.site_id and workspace_id = $1 and deleted_at is null)`,
    [workspaceId, id],
  );
  return rows.map(toIntegration)[0];
}

/** Locked: a concurrent change of the integration waits until this transaction ends. */
export const INTEGRATIONS = {
  siteOf: async (client: ClientBase, id: string): Promise<string | undefined> => {
    const of = 'select site_id from integrations where id = $1';
    const { rows } = await client.query<{ site_id: string }>(of, [id]);
    return rows[0]?.site_id;
  },
  lock: async (client: ClientBase, id: string): Promise<IntegrationResource | undefined> => {
    const lock = `select ${COLUMNS} from integrations where id = $1 for update`;
    const { rows } = await client.query<IntegrationRow>(lock, [id]);
    return rows.map(toIntegration)[0];
  },
};

/** @param credentials undefined keeps the stored ones */
export async function storeIntegration(
  client: ClientBase,
  integration: IntegrationResource,
  credentials: SealedCredentials | undefined,
): Promise<void> {
  await client.query(
    `update integrations set base_url = $2, status = $3, version = $4, updated_at = $5,
       key_id = coalesce($6, key_id), sealed = coalesce($7, sealed), last_error = $8,
       next_pull_at = case when $3 = 'pending' then clock_timestamp() else next_pull_at end
     where id = $1`,
    [
      integration.id,
      integration.base_url,
      integration.status,
      integration.version,
      integration.updated_at,
      credentials?.key_id ?? null,
      credentials === undefined ? null : Buffer.from(credentials.sealed, 'base64'),
      integration.last_error,
    ],
  );
}

export async function removeIntegration(client: ClientBase, id: string): Promise<void> {
  await client.query('delete from integrations where id = $1', [id]);
}

/** A page of the integrations of these existing sites. */
export function pageOfIntegrations(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  const { provider } = query.filters;
  return readPageOfSites<IntegrationRow, IntegrationResource>(client, query, siteIds, {
    columns: COLUMNS,
    from: 'integrations',
    idColumn: 'id',
    createdColumn: 'created_at',
    where: provider === undefined ? [] : ['provider = $1'],
    values: provider === undefined ? [] : [provider],
    toResource: toIntegration,
  });
}

function toIntegration(row: IntegrationRow): IntegrationResource {
  return {
    ...row,
    last_sync_at: row.last_sync_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Deletes at most `limit` integrations of a site. @returns how many */
export async function eraseIntegrationsOfSite(
  client: ClientBase,
  siteId: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await client.query(
    `delete from integrations where ctid = any (array(
       select ctid from integrations where site_id = $1 limit $2))`,
    [siteId, limit],
  );
  return rowCount ?? 0;
}
