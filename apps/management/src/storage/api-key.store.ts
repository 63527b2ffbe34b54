import type { ApiKeyResource, KeyUse } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, paramOf, type Queryable, readPage } from '@truetally/resource';
import type { ClientBase, QueryResultRow } from 'pg';
import type { ApiKey } from '../domain/api-key.js';
import { type Chunk, endOf } from './chunk.js';

interface ApiKeyRecord extends ApiKeyResource {
  readonly workspace_id: string;
  readonly hash: string;
  readonly limit_id: string;
}

const API_KEYS = tableOf<ApiKeyRecord>('api_keys', 'id', {
  id: ['key_id', 'uuid'],
  site_id: 'uuid',
  name: 'text',
  prefix: 'text',
  scopes: 'text[]',
  hourly_limit: 'integer',
  expires_at: 'instant',
  revoked_at: 'instant',
  last_used_at: 'instant',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
  workspace_id: 'uuid',
  hash: 'hex',
  limit_id: 'uuid',
});
/** The public fields: without the hash and the limit's key. */
const RESOURCES = API_KEYS.without('workspace_id', 'hash', 'limit_id');
/** Others than the time of the last use, which `storeKeyUses` changes. */
const CHANGING = RESOURCES.without('site_id', 'prefix', 'last_used_at', 'created_at');
const OF_SITE = 'workspace_id = $1 and site_id = $2';

/** @returns whether it was stored: false when its prefix, or the key itself, exists */
export async function insertApiKey(
  client: ClientBase,
  { resource, workspaceId, hash, limitId }: ApiKey,
): Promise<boolean> {
  const record = { ...resource, workspace_id: workspaceId, hash, limit_id: limitId };
  const { rowCount } = await client.query(API_KEYS.insert(record, 'on conflict do nothing'));
  return rowCount === 1;
}

export async function findApiKey(
  client: Queryable,
  { workspace_id, params }: Pick<ResourceQuery, 'params' | 'workspace_id'>,
): Promise<ApiKeyResource | undefined> {
  const { rows } = await client.query(
    `select ${RESOURCES.selection()} from api_keys where ${OF_SITE} and key_id = $3`,
    [workspace_id, paramOf(params, 'site_id'), paramOf(params, 'key_id')],
  );
  return rows.map(RESOURCES.read)[0];
}

/** For a change: a concurrent change of the key waits until this transaction ends. */
export async function lockApiKey(
  client: ClientBase,
  { workspace_id, params }: Pick<ResourceQuery, 'params' | 'workspace_id'>,
): Promise<ApiKey | undefined> {
  const { rows } = await client.query(
    `select ${API_KEYS.selection()} from api_keys where ${OF_SITE} and key_id = $3 for update`,
    [workspace_id, paramOf(params, 'site_id'), paramOf(params, 'key_id')],
  );
  return rows.map(toApiKey)[0];
}

/** Gateways are told of it: they know it again. */
export async function storeApiKey(client: ClientBase, { resource }: ApiKey): Promise<void> {
  await client.query(CHANGING.update(resource.id, resource));
  await client.query('update api_keys set is_known = true where key_id = $1 and not is_known', [resource.id]);
}

const ENDED_AT_ONCE = 1_000;

/**
 * Keys that ended more than a day ago, which gateways are told to forget: a bounded number, each once. Until then who uses one
 * of them learns which site refuses it, and the site how often that was.
 */
export async function takeEndedApiKeys(client: ClientBase): Promise<readonly string[]> {
  // One at a time: what gateways hold is summed by workspace, and two in different orders would wait for one another.
  await client.query(`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' ended keys', 0))`);
  const { rows } = await client.query<{ key_id: string }>(
    `update api_keys set is_known = false where key_id = any (array(
       select key_id from api_keys
       where is_known and least(revoked_at, expires_at) < clock_timestamp() - interval '1 day'
       order by least(revoked_at, expires_at) limit ${ENDED_AT_ONCE} for update skip locked))
     returning key_id`,
  );
  return rows.map((row) => row.key_id);
}

export function pageOfApiKeys(client: Queryable, query: ResourceQuery) {
  return readPage(client, query, {
    ...listingOf(RESOURCES),
    where: ['workspace_id = $1', 'site_id = $2'],
    values: [query.workspace_id, paramOf(query.params, 'site_id')],
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
  const { rows } = await client.query(
    `select ${API_KEYS.selection()} from api_keys where key_id > $1 and is_known order by key_id limit $2 for share`,
    [afterKeyId, limit],
  );
  const items = rows.map(toApiKey);
  return { items, lastId: endOf(items, limit)?.resource.id };
}

function toApiKey(row: QueryResultRow): ApiKey {
  const { workspace_id: workspaceId, hash, limit_id: limitId, ...resource } = API_KEYS.read(row);
  return { resource, workspaceId, hash, limitId };
}

/** Those of these keys that gateways are not to know: they ended long ago, or this database does not have them. */
export async function withoutApiKey(
  client: ClientBase,
  keyIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ key_id: string }>(
    `select key_id from unnest($1::uuid[]) as known (key_id)
     where not exists (select from api_keys where api_keys.key_id = known.key_id and is_known)`,
    [keyIds],
  );
  return rows.map((row) => row.key_id);
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
