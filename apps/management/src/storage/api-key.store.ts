import type { Scope } from '@truetally/contracts/credentials';
import type { ApiKeyResource, KeyUse } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, readPage, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import type { ApiKey } from '../domain/api-key.js';
import { type Chunk, endOf } from './chunk.js';

interface ResourceRow {
  readonly key_id: string;
  readonly site_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly hourly_limit: number;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

interface ApiKeyRow extends ResourceRow {
  readonly workspace_id: string;
  readonly hash: Buffer;
  readonly limit_id: string;
}

/** The public fields: without the hash and the limit's key. */
const RESOURCE_COLUMNS = `key_id, site_id, name, prefix, scopes, hourly_limit, expires_at, revoked_at,
  last_used_at, version, created_at, updated_at`;
const COLUMNS = `${RESOURCE_COLUMNS}, workspace_id, hash, limit_id`;
const OF_SITE = 'workspace_id = $1 and site_id = $2';

/** @returns whether it was stored: false when its prefix, or the key itself, exists */
export async function insertApiKey(
  client: ClientBase,
  { resource, workspaceId, hash, limitId }: ApiKey,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into api_keys (${COLUMNS})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict do nothing`,
    [
      resource.id,
      resource.site_id,
      resource.name,
      resource.prefix,
      resource.scopes,
      resource.hourly_limit,
      resource.expires_at,
      resource.revoked_at,
      resource.last_used_at,
      resource.version,
      resource.created_at,
      resource.updated_at,
      workspaceId,
      Buffer.from(hash, 'hex'),
      limitId,
    ],
  );
  return rowCount === 1;
}

export async function findApiKey(
  client: Queryable,
  { workspace_id, params }: Pick<ResourceQuery, 'params' | 'workspace_id'>,
): Promise<ApiKeyResource | undefined> {
  const { rows } = await client.query<ResourceRow>(
    `select ${RESOURCE_COLUMNS} from api_keys where ${OF_SITE} and key_id = $3`,
    [workspace_id, paramOf(params, 'site_id'), paramOf(params, 'key_id')],
  );
  return rows.map(toResource)[0];
}

/** For a change: a concurrent change of the key waits until this transaction ends. */
export async function lockApiKey(
  client: ClientBase,
  { workspace_id, params }: Pick<ResourceQuery, 'params' | 'workspace_id'>,
): Promise<ApiKey | undefined> {
  const { rows } = await client.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys where ${OF_SITE} and key_id = $3 for update`,
    [workspace_id, paramOf(params, 'site_id'), paramOf(params, 'key_id')],
  );
  return rows.map(toApiKey)[0];
}

export async function storeApiKey(client: ClientBase, { resource }: ApiKey): Promise<void> {
  await client.query(
    `update api_keys set name = $2, scopes = $3, hourly_limit = $4, expires_at = $5, revoked_at = $6,
       version = $7, updated_at = $8
     where key_id = $1`,
    [
      resource.id,
      resource.name,
      resource.scopes,
      resource.hourly_limit,
      resource.expires_at,
      resource.revoked_at,
      resource.version,
      resource.updated_at,
    ],
  );
}

export function pageOfApiKeys(client: Queryable, query: ResourceQuery) {
  return readPage<ResourceRow, ApiKeyResource>(client, query, {
    columns: RESOURCE_COLUMNS,
    from: 'api_keys',
    idColumn: 'key_id',
    createdColumn: 'created_at',
    where: ['workspace_id = $1', 'site_id = $2'],
    values: [query.workspace_id, paramOf(query.params, 'site_id')],
    toResource,
  });
}

/**
 * Records when keys were used, many in one statement and never backwards. Rows are locked in the order of
 * their ids, because two gateways may report the same keys concurrently.
 */
export async function storeKeyUses(client: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await client.query(
    `with told as (
       select key_id, to_timestamp(max(at_ms) / 1000.0)::timestamptz(3) as used_at
       from unnest($1::uuid[], $2::bigint[]) as use (key_id, at_ms) group by key_id
     ), held as (
       select key_id from api_keys where key_id in (select key_id from told) order by key_id for no key update
     )
     update api_keys set last_used_at = told.used_at
     from told join held using (key_id)
     where api_keys.key_id = told.key_id
       and (api_keys.last_used_at is null or api_keys.last_used_at < told.used_at)`,
    [uses.map((use) => use.key_id), uses.map((use) => use.at_ms)],
  );
}

/**
 * Keys of all sites in the order of their ids, locked until the transaction ends, so that their published
 * state stays true until it is in the outbox.
 */
export async function holdApiKeys(
  client: ClientBase,
  afterKeyId: string,
  limit: number,
): Promise<Chunk<ApiKey>> {
  const { rows } = await client.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys where key_id > $1 order by key_id limit $2 for share`,
    [afterKeyId, limit],
  );
  return { items: rows.map(toApiKey), lastId: endOf(rows, limit)?.key_id };
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    resource: toResource(row),
    workspaceId: row.workspace_id,
    hash: row.hash.toString('hex'),
    limitId: row.limit_id,
  };
}

function toResource(row: ResourceRow): ApiKeyResource {
  return {
    id: row.key_id,
    site_id: row.site_id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    hourly_limit: row.hourly_limit,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Deletes at most `limit` keys of a deleted site. @returns their ids */
export async function eraseApiKeysOfSite(
  client: ClientBase,
  siteId: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ key_id: string }>(
    'select erase_api_keys as key_id from erase_api_keys($1, $2)',
    [siteId, limit],
  );
  return rows.map(({ key_id: keyId }) => keyId);
}
