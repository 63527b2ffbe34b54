import { describe, expect, it } from '@jest/globals';
import type { IntegrationPatch, IntegrationResource } from '@truetally/contracts/management';
import { changedIntegration } from './integration.js';

const NOW_MS = Date.UTC(2026, 2, 1, 12);
const INTEGRATION = {
  id: 'integration',
  site_id: 'site',
  provider: 'awin',
  base_url: 'https://network.example',
  status: 'error',
  last_error: 'The credentials are refused.',
  version: 1,
} as unknown as IntegrationResource;
const UNTRIED = { status: 'pending', last_error: null };
const FIXED = ['cannot be changed'];

describe('a patch of an integration', () => {
  const change = (patch: object) => changedIntegration(INTEGRATION, patch as IntegrationPatch, NOW_MS);

  it.each([
    [{ base_url: 'https://other.example' }, { ...UNTRIED, base_url: 'https://other.example' }],
    [{ base_url: null }, { ...UNTRIED, base_url: null }],
    [{ credentials: { api_token: 'x' } }, UNTRIED],
  ])('%j: what its pulls have shown holds until its settings change', (patch, changed) => {
    const updated_at = '2026-03-01T12:00:00.000Z';
    expect(change(patch)).toEqual({
      ok: true,
      value: { ...INTEGRATION, version: 2, updated_at, ...changed },
    });
  });

  it.each([[{}], [{ site_id: 'site', provider: 'awin' }], [{ base_url: 'https://network.example' }]])(
    '%j leaves it as it is, with its version',
    (patch) => {
      expect(change(patch)).toEqual({ ok: true, value: INTEGRATION });
    },
  );

  it.each([
    [{ site_id: 'other' }, { site_id: FIXED }],
    [{ provider: 'cj' }, { provider: FIXED }],
    [
      { provider: 'cj', site_id: 'other', base_url: null },
      { provider: FIXED, site_id: FIXED },
    ],
  ])('%j is refused', (patch, error) => {
    expect(change(patch)).toEqual({ ok: false, error });
  });
});
