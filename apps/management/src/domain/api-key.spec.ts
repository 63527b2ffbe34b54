import { describe, expect, it } from '@jest/globals';
import { mintApiKey, SCOPES } from '@truetally/contracts';
import fc from 'fast-check';
import { newApiKey, presentApiKey, readCreateApiKey, readRevokeApiKey, revoke } from './api-key.js';
import { credentialFact } from './facts.js';

const NOW_MS = Date.parse('2026-01-31T09:30:00.000Z');
const MINTED = mintApiKey(new Uint8Array(40).map((_, index) => index));
const LEAST = {
  workspace_id: '8f14e45f-ceea-467f-a0e6-0d1b2c3d4e5f',
  site_id: '1c6a9f6e-21d4-4b35-8f0a-6f3f0f1f2a3b',
  name: 'Backend',
  scopes: ['events:write'],
  prefix: MINTED.prefix,
  hash: MINTED.hash,
};
const IDS = {
  keyId: 'd3b07384-d113-4ec6-8a5e-5f0f3f1f2a3b',
  limitId: '9a0364b9-e99b-4480-9dd3-5f0f3f1f2a3c',
  nowMs: NOW_MS,
};

function keyOf(body: unknown) {
  const command = readCreateApiKey(body, NOW_MS);
  if (!command.ok) throw new Error(JSON.stringify(command.error));
  return newApiKey(command.value, IDS);
}

describe('a new API key (interface, sections 2 and 9)', () => {
  it('has a limit of 1,000 requests an hour and no end unless told', () => {
    expect(keyOf(LEAST)).toMatchObject({
      hourlyLimit: 1_000,
      expiresAtMs: null,
      revokedAtMs: null,
      version: 1,
    });
  });

  it('names every broken rule at once', () => {
    const body = {
      ...LEAST,
      name: 'n'.repeat(121),
      scopes: ['events:write', 'everything'],
      hourly_limit: 0,
      expires_at: '2026-01-31T09:30:00Z',
      prefix: 'SHORT',
      hash: MINTED.hash.toUpperCase(),
      key: MINTED.key,
    };
    const command = readCreateApiKey(body, NOW_MS);
    expect(command.ok ? {} : command.error).toEqual({
      name: ['must be a non-empty string of at most 120 characters'],
      'scopes.1': [`must be one of ${SCOPES.join(', ')}`],
      hourly_limit: ['must be a whole number from 1 to 1000000000'],
      expires_at: ['must be in the future'],
      prefix: ['must be 8 characters of a–z and 0–9'],
      hash: ['must be a SHA-256 in lower-case hex'],
      key: ['is not a known field'],
    });
  });

  it.each<[string, unknown, boolean]>([
    ['scopes', [], false],
    ['scopes', SCOPES, true],
    ['scopes', 'events:write', false],
    ['hourly_limit', 1, true],
    ['hourly_limit', 100_000_000, true],
    ['hourly_limit', -1, false],
    ['hourly_limit', Number.MAX_SAFE_INTEGER, false],
    ['expires_at', '2026-01-31T09:30:00.001Z', true],
    ['expires_at', '2026-01-31T11:00:00+01:00', true],
    ['expires_at', '2026-02-30T11:00:00Z', false],
    ['expires_at', 1_900_000_000_000, false],
    ['prefix', 'abcd123', false],
    ['prefix', 'abcd1234', true],
    ['hash', 'f'.repeat(63), false],
  ])('%s: %p is accepted: %p', (field, value, isAccepted) => {
    expect(readCreateApiKey({ ...LEAST, [field]: value }, NOW_MS).ok).toBe(isAccepted);
  });

  it('shows neither hash nor secret in an answer', () => {
    const answer = JSON.stringify(presentApiKey(keyOf(LEAST)));
    expect(answer).toContain(MINTED.prefix);
    expect(answer).not.toContain(MINTED.hash);
    expect(Object.keys(presentApiKey(keyOf(LEAST)))).not.toContain('key');
  });

  it('tells gateways what they check, and never the name that a person gave it', () => {
    expect(JSON.parse(credentialFact(keyOf({ ...LEAST, expires_at: '2027-01-01T00:00:00Z' })).value)).toEqual(
      {
        key_id: IDS.keyId,
        site_id: LEAST.site_id,
        workspace_id: LEAST.workspace_id,
        prefix: MINTED.prefix,
        hash: MINTED.hash,
        scopes: ['events:write'],
        hourly_limit: 1_000,
        limit_id: IDS.limitId,
        expires_at: '2027-01-01T00:00:00.000Z',
        revoked_at: null,
      },
    );
  });

  it('throws for no input whatever', () => {
    const body = fc.oneof(
      fc.anything(),
      fc.dictionary(
        fc.constantFrom(...Object.keys(LEAST), 'expires_at', 'hourly_limit', 'actor'),
        fc.anything(),
      ),
    );
    fc.assert(
      fc.property(body, (value) => {
        expect(typeof readCreateApiKey(value, NOW_MS).ok).toBe('boolean');
        expect(typeof readRevokeApiKey(value).ok).toBe('boolean');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('revoking', () => {
  it('is a new version that says when', () => {
    const revoked = revoke(keyOf(LEAST), NOW_MS + 5);
    expect(revoked).toMatchObject({ revokedAtMs: NOW_MS + 5, version: 2, updatedAtMs: NOW_MS + 5 });
    expect(presentApiKey(revoked).revoked_at).toBe('2026-01-31T09:30:00.005Z');
  });
});
