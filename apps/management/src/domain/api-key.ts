import type { ApiKeyFields, ApiKeyResource } from '@truetally/contracts/management';
import { changedResource } from '@truetally/contracts/resource';
import { formatInstant } from '@truetally/kernel';

/** A key with what never leaves for an answer. Nobody can make the key's text from it. */
export interface ApiKey {
  readonly resource: ApiKeyResource;
  readonly workspaceId: string;
  /** SHA-256 of the whole key text, lower-case hex. */
  readonly hash: string;
  /** What the hourly limit is counted against: keys that rotation made from one another share it. */
  readonly limitId: string;
}

const MS_PER_SECOND = 1_000;

/** Whether it may still be used, and so be changed: nothing makes a key live again. */
export function isLive({ revoked_at, expires_at }: ApiKeyResource, nowMs: number): boolean {
  return revoked_at === null && (expires_at === null || Date.parse(expires_at) > nowMs);
}

/** What the merchant says of a key: what a change begins with, and what rotation hands on. */
export function apiKeyFields({ name, scopes, hourly_limit, expires_at }: ApiKeyResource): ApiKeyFields {
  return { name, scopes, hourly_limit, expires_at };
}

/** Revoked for good: there is no way back, so that a fact that is late can never make a key live again. */
export function revoked(key: ApiKey, nowMs: number): ApiKey {
  return { ...key, resource: changedResource(key.resource, { revoked_at: formatInstant(nowMs) }, nowMs) };
}

/** Its end after a rotation, and never later than it would have been. */
export function retired(key: ApiKey, overlapSeconds: number, nowMs: number): ApiKey {
  const { expires_at } = key.resource;
  const endMs = Math.min(
    nowMs + overlapSeconds * MS_PER_SECOND,
    expires_at === null ? Infinity : Date.parse(expires_at),
  );
  return { ...key, resource: changedResource(key.resource, { expires_at: formatInstant(endMs) }, nowMs) };
}
