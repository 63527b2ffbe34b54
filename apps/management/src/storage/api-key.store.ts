import type { Scope } from '@truetally/contracts';
import type { ClientBase } from 'pg';
import type { ApiKey } from '../domain/api-key.js';

interface ApiKeyRow {
  readonly key_id: string;
  readonly site_id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: Buffer;
  readonly scopes: readonly Scope[];
  readonly hourly_limit: number;
  readonly limit_id: string;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = `key_id, site_id, workspace_id, name, prefix, hash, scopes, hourly_limit, limit_id, expires_at,
  revoked_at, version, created_at, updated_at`;

/** @returns whether it was stored: not when its prefix, or the key itself, exists already */
export async function insertApiKey(client: ClientBase, key: ApiKey): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into api_keys (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict do nothing`,
    [
      key.keyId,
      key.siteId,
      key.workspaceId,
      key.name,
      key.prefix,
      Buffer.from(key.hash, 'hex'),
      key.scopes,
      key.hourlyLimit,
      key.limitId,
      toDate(key.expiresAtMs),
      toDate(key.revokedAtMs),
      key.version,
      toDate(key.createdAtMs),
      toDate(key.updatedAtMs),
    ],
  );
  return rowCount === 1;
}

/** For a change: a second one of the same key waits until this transaction ends. */
export async function lockApiKey(
  client: ClientBase,
  place: { readonly workspaceId: string; readonly siteId: string; readonly keyId: string },
): Promise<ApiKey | undefined> {
  const { rows } = await client.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys where workspace_id = $1 and site_id = $2 and key_id = $3 for update`,
    [place.workspaceId, place.siteId, place.keyId],
  );
  return rows.map(toApiKey)[0];
}

export async function updateApiKey(client: ClientBase, key: ApiKey): Promise<void> {
  await client.query(
    `update api_keys set expires_at = $2, revoked_at = $3, version = $4, updated_at = $5 where key_id = $1`,
    [key.keyId, toDate(key.expiresAtMs), toDate(key.revokedAtMs), key.version, toDate(key.updatedAtMs)],
  );
}

/**
 * Every site's keys in the order of their ids. The rows are held until the transaction ends, so that what is said
 * about them stays true until it is in the outbox.
 */
export async function holdApiKeys(
  client: ClientBase,
  afterKeyId: string,
  limit: number,
): Promise<readonly ApiKey[]> {
  const { rows } = await client.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys where key_id > $1 order by key_id limit $2 for share`,
    [afterKeyId, limit],
  );
  return rows.map(toApiKey);
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    keyId: row.key_id,
    siteId: row.site_id,
    workspaceId: row.workspace_id,
    name: row.name,
    prefix: row.prefix,
    hash: row.hash.toString('hex'),
    scopes: row.scopes,
    hourlyLimit: row.hourly_limit,
    limitId: row.limit_id,
    expiresAtMs: row.expires_at?.getTime() ?? null,
    revokedAtMs: row.revoked_at?.getTime() ?? null,
    version: row.version,
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
  };
}

function toDate(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}
