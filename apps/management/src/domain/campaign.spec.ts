import { describe, expect, it } from '@jest/globals';
import type { CampaignFields, CampaignResource } from '@truetally/contracts/management';
import { addedActiveBytes, patchCampaign } from './campaign.js';

const SITE = '6f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01';
const CAMPAIGN: CampaignResource = {
  id: '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01',
  workspace_id: '7a1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01',
  site_id: SITE,
  type: 'overlay',
  name: 'Welcome',
  status: 'active',
  schedule: null,
  targeting: null,
  content: { layout: 'modal', title: 'Hello' },
  version: 2,
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
};
const { site_id, type, name, status, schedule, targeting, content } = CAMPAIGN;
const FIELDS: CampaignFields = { site_id, type, name, status, schedule, targeting, content };
const FIXED = ['cannot be changed'];

describe('a patch of a campaign', () => {
  it.each([
    [{}, {}],
    [{ name: 'Other' }, { name: 'Other' }],
    [{ content: { title: 'Bye' } }, { content: { layout: 'modal', title: 'Bye' } }],
    [{ site_id: SITE.toUpperCase(), type: 'overlay' }, {}],
  ])('%j changes what it names', (patch, changed) => {
    expect(patchCampaign(CAMPAIGN, patch)).toEqual({ ok: true, value: { ...FIELDS, ...changed } });
  });

  it.each([
    [{ type: 'chatbot' }, { type: FIXED }],
    [{ site_id: CAMPAIGN.id }, { site_id: FIXED }],
    [
      { site_id: null, type: null },
      { site_id: FIXED, type: FIXED },
    ],
    [
      { type: 'chatbot', name: 1 },
      { type: FIXED, name: expect.anything() },
    ],
    [{ strange: 1 }, { strange: expect.anything() }],
  ])('%j is refused', (patch, errors) => {
    expect(patchCampaign(CAMPAIGN, patch)).toEqual({ ok: false, error: errors });
  });

  it.each([[[]], ['text'], [null], [7]])(
    'a patch of a campaign that is no object is refused: %j',
    (patch) => {
      const refused = patchCampaign(CAMPAIGN, patch);
      expect(refused.ok ? [] : Object.keys(refused.error)).toEqual(['body']);
    },
  );
});

describe('the active content of a campaign', () => {
  const bytes = Buffer.byteLength(JSON.stringify(content));
  const paused: CampaignFields = { ...FIELDS, status: 'paused' };

  it.each([
    ['a new active one', undefined, FIELDS, bytes],
    ['a new inactive one', undefined, paused, 0],
    ['an activation', paused, FIELDS, bytes],
    ['a pause', FIELDS, paused, -bytes],
    ['no change', FIELDS, FIELDS, 0],
    ['a longer title', FIELDS, { ...FIELDS, content: { layout: 'modal', title: 'Hellö!' } }, 2],
  ] as const)('grows by the UTF-8 bytes of its JSON: %s', (_what, before, after, expected) => {
    expect(addedActiveBytes(before, after as CampaignFields)).toBe(expected);
  });
});
