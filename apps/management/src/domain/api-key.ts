import {
  API_KEY_HASH_PATTERN,
  API_KEY_PREFIX_PATTERN,
  type ApiKeyResource,
  HOURLY_LIMIT,
  type Scope,
  SCOPES,
} from '@truetally/contracts';
import { formatInstant } from '@truetally/kernel';
import {
  instantAfter,
  integer,
  list,
  oneOf,
  optional,
  readBody,
  required,
  textLike,
  uuid,
  withDefault,
} from './field-rules.js';
import { actorField, nameRule } from './workspace.js';

/** A key without its secret: nobody can make the key text from it, and `hash` never leaves for an answer. */
export interface ApiKey {
  readonly keyId: string;
  readonly siteId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly prefix: string;
  /** SHA-256 of the whole key text, lower-case hex. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly hourlyLimit: number;
  /** What the hourly limit is counted against: keys that rotation made from one another share it. */
  readonly limitId: string;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const DEFAULT_HOURLY_LIMIT = 1_000;

const matching = (form: RegExp) => (value: string) => (form.test(value) ? value : undefined);

export const readCreateApiKey = (body: unknown, nowMs: number) =>
  readBody(body, {
    actor: actorField,
    workspace_id: required(uuid),
    site_id: required(uuid),
    name: required(nameRule),
    scopes: required(list(oneOf(SCOPES), 1, SCOPES.length)),
    hourly_limit: withDefault(integer(HOURLY_LIMIT.min, HOURLY_LIMIT.max), DEFAULT_HOURLY_LIMIT),
    expires_at: optional(instantAfter(nowMs)),
    prefix: required(textLike('8 characters of a–z and 0–9', matching(API_KEY_PREFIX_PATTERN))),
    hash: required(textLike('a SHA-256 in lower-case hex', matching(API_KEY_HASH_PATTERN))),
  });

type CreateApiKey = Extract<ReturnType<typeof readCreateApiKey>, { readonly ok: true }>['value'];

/** A key on its own: the limit is shared with others only once rotation makes them from it. */
export function newApiKey(
  command: CreateApiKey,
  { keyId, limitId, nowMs }: { readonly keyId: string; readonly limitId: string; readonly nowMs: number },
): ApiKey {
  return {
    keyId,
    siteId: command.site_id,
    workspaceId: command.workspace_id,
    name: command.name,
    prefix: command.prefix,
    hash: command.hash,
    scopes: command.scopes,
    hourlyLimit: command.hourly_limit,
    limitId,
    expiresAtMs: command.expires_at ?? null,
    revokedAtMs: null,
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** Revoked for good: there is no way back, so that a fact that is late can never make a key live again. */
export function revoke(key: ApiKey, nowMs: number): ApiKey {
  return { ...key, revokedAtMs: nowMs, version: key.version + 1, updatedAtMs: nowMs };
}

export const readRevokeApiKey = (body: unknown) =>
  readBody(body, {
    actor: actorField,
    workspace_id: required(uuid),
    site_id: required(uuid),
    key_id: required(uuid),
  });

/** The resource as answers carry it (interface, section 9): named by prefix, never with its hash. */
export function presentApiKey(key: ApiKey): ApiKeyResource {
  return {
    id: key.keyId,
    site_id: key.siteId,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    hourly_limit: key.hourlyLimit,
    expires_at: key.expiresAtMs === null ? null : formatInstant(key.expiresAtMs),
    revoked_at: key.revokedAtMs === null ? null : formatInstant(key.revokedAtMs),
    version: key.version,
    created_at: formatInstant(key.createdAtMs),
    updated_at: formatInstant(key.updatedAtMs),
  };
}
