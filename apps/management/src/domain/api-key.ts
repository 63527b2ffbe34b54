import type { ApiKeyFields, ApiKeyResource } from '@truetally/contracts/management';
import { changedResource } from '@truetally/contracts/resource';
import { formatInstant } from '@truetally/kernel';

/** A key with its internal fields. The key's text cannot be derived from it. */
export interface ApiKey {
  readonly resource: ApiKeyResource;
  readonly workspaceId: string;
  /** SHA-256 of the whole key text, lower-case hex. */
  readonly hash: string;
  /** Key of the hourly limit, shared by the keys of one rotation. */
  readonly limitId: string;
}

const MS_PER_SECOND = 1_000;

/** Whether the key is valid, and so may be changed: a revoked or expired key never becomes valid again. */
export function isLive({ revoked_at, expires_at }: ApiKeyResource, nowMs: number): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > nowMs);
}

/** The merchant's settings of a key: the base of a change, copied by a rotation. */
export function apiKeyFields({ name, scopes, hourly_limit, expires_at }: ApiKeyResource): ApiKeyFields {
  return { name, scopes, hourly_limit, expires_at };
}

/** Revoked for good, so that a late fact can never make a key valid again. */
export function revoked(key: ApiKey, nowMs: number): ApiKey {
  return { ...key, resource: changedResource(key.resource, { revoked_at: formatInstant(nowMs) }, nowMs) };
}

/** Its expiry after a rotation, never later than before. */
export function retired(key: ApiKey, overlapSeconds: number, nowMs: number): ApiKey {
  const { expires_at } = key.resource;
  const endMs = Math.min(
    nowMs + overlapSeconds * MS_PER_SECOND,
    expires_at === null ? Infinity : Date.parse(expires_at),
  );
  return { ...key, resource: changedResource(key.resource, { expires_at: formatInstant(endMs) }, nowMs) };
}
