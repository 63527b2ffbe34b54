import { describe, expect, it } from '@jest/globals';
import type { ApiKeyResource } from '@truetally/contracts/management';
import { type ApiKey, apiKeyFields, isLive, retired, revoked } from './api-key.js';

const NOW_MS = Date.UTC(2026, 2, 1, 12);
const at = (offsetMs: number): string => new Date(NOW_MS + offsetMs).toISOString();

const RESOURCE: ApiKeyResource = {
  id: 'key',
  site_id: 'site',
  name: 'Backend',
  scopes: ['events:write'],
  hourly_limit: 10,
  expires_at: null,
  prefix: 'abcdefgh',
  revoked_at: null,
  last_used_at: null,
  version: 4,
  created_at: at(-1_000),
  updated_at: at(-1_000),
};
const KEY: ApiKey = { resource: RESOURCE, workspaceId: 'workspace', hash: 'hash', limitId: 'limit' };

describe('an API key', () => {
  it.each([
    [{ expires_at: null }, true],
    [{ expires_at: at(1) }, true],
    [{ expires_at: at(0) }, false],
    [{ expires_at: at(-1) }, false],
    [{ revoked_at: at(-1) }, false],
    [{ revoked_at: at(-1), expires_at: at(1) }, false],
  ])('an API key with %j is live: %s', (fields, expected) => {
    expect(isLive({ ...RESOURCE, ...fields }, NOW_MS)).toBe(expected);
  });

  it('an API key has four settings that a rotation copies', () => {
    expect(apiKeyFields(RESOURCE)).toEqual({
      name: 'Backend',
      scopes: ['events:write'],
      hourly_limit: 10,
      expires_at: null,
    });
  });

  it('an API key is revoked at an instant, as a new version of itself', () => {
    const resource = { ...RESOURCE, revoked_at: at(0), updated_at: at(0), version: 5 };
    expect(revoked(KEY, NOW_MS)).toEqual({ ...KEY, resource });
  });

  it.each([
    [null, 60, 60_000],
    [null, 0, 0],
    [at(30_000), 60, 30_000],
    [at(90_000), 60, 60_000],
  ])(
    'an API key that expires at %s does so after an overlap of %i s at the latest',
    (expires_at, overlap, endMs) => {
      const key = { ...KEY, resource: { ...RESOURCE, expires_at } };
      const resource = { ...RESOURCE, expires_at: at(endMs), updated_at: at(0), version: 5 };
      expect(retired(key, overlap, NOW_MS)).toEqual({ ...KEY, resource });
    },
  );
});
