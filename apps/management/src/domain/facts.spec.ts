import { describe, expect, it } from '@jest/globals';
import type {
  ApiKeyResource,
  CampaignResource,
  MemberResource,
  ProductResource,
  SiteResource,
  WorkspaceState,
} from '@truetally/contracts/management';
import { campaignFact, credentialFact, memberFact, memberGoneFact, siteFact } from './facts.js';
import { productFields } from './product.js';
import { siteFields } from './site.js';

const AT = '2026-03-01T12:00:00.000Z';
const VERSIONED = { version: 3, created_at: AT, updated_at: AT };

const SITE_FIELDS = {
  name: 'Shop',
  domain: 'shop.example',
  allowed_origins: ['https://shop.example'],
  currency: 'EUR',
  timezone: 'UTC',
  publisher_mode: 'off',
  partner: { providers: ['awin'], touch_limit: 20, attribution_model: 'linear', lookback_days: null },
  runtime_hourly_limit: 10,
} as const;
const SITE: SiteResource = { id: 'site', workspace_id: 'workspace', ...VERSIONED, ...SITE_FIELDS };
const read = ({ value }: { readonly value: string }): unknown => JSON.parse(value);

describe('facts', () => {
  it.each([true, false])(
    'a site’s has its fields, and whether its workspace is suspended: %s',
    (suspended) => {
      expect(siteFields(SITE)).toEqual(SITE_FIELDS);
      const fact = siteFact(SITE, suspended);
      expect([fact.topic, fact.key]).toEqual(['sites.v1', 'site']);
      const record = { site_id: 'site', workspace_id: 'workspace', ...SITE_FIELDS, suspended, version: 3 };
      expect(read(fact)).toEqual(record);
    },
  );

  it('a key’s has its hash, and nothing that is only shown', () => {
    const settings = { name: 'Backend', scopes: ['events:write'] as const, hourly_limit: 5, expires_at: AT };
    const resource: ApiKeyResource = {
      ...settings,
      ...VERSIONED,
      id: 'key',
      site_id: 'site',
      prefix: 'abcdefgh',
      revoked_at: null,
      last_used_at: AT,
    };
    const fact = credentialFact({ resource, workspaceId: 'workspace', hash: 'hash', limitId: 'limit' });
    expect([fact.topic, fact.key]).toEqual(['credentials.v1', 'key']);
    expect(read(fact)).toEqual({
      key_id: 'key',
      site_id: 'site',
      workspace_id: 'workspace',
      prefix: 'abcdefgh',
      hash: 'hash',
      scopes: ['events:write'],
      hourly_limit: 5,
      limit_id: 'limit',
      expires_at: AT,
      revoked_at: null,
      version: 3,
    });
  });

  it('a member’s has the state of its workspace, and a tombstone has the same key', () => {
    const name = { workspace_id: 'workspace', sub: 'auth0|one', email: null };
    const member = {
      id: 'member',
      ...name,
      role: 'admin',
      membership: 'accepted',
      ...VERSIONED,
    } as MemberResource;
    const state = { suspended: true, hourly_limit: 9 } as WorkspaceState;
    const fact = memberFact(member, state);
    expect(read(fact)).toEqual({
      ...name,
      member_id: 'member',
      role: 'admin',
      membership: 'accepted',
      suspended: true,
      hourly_limit: 9,
      version: 3,
    });
    expect(memberGoneFact(name)).toEqual({ topic: 'members.v1', key: fact.key, value: null });
    expect(fact.topic).toBe('members.v1');
  });

  it.each([
    [null, null, { from: null, to: null }, { page_url_contains: [], languages: [], device_types: [] }],
    [{}, {}, { from: null, to: null }, { page_url_contains: [], languages: [], device_types: [] }],
    [
      { from: AT, to: AT },
      { page_url_contains: ['/a'], languages: ['de'], device_types: ['mobile'] },
      { from: AT, to: AT },
      { page_url_contains: ['/a'], languages: ['de'], device_types: ['mobile'] },
    ],
  ])('a campaign’s has lists and limits, whatever it lacks: %j %j', (schedule, targeting, limits, lists) => {
    const fields = { type: 'overlay', name: 'Welcome', status: 'active', content: { title: 'T' } };
    const owned = { site_id: 'site', workspace_id: 'workspace' };
    const campaign = { id: 'campaign', ...owned, ...VERSIONED, ...fields, schedule, targeting };
    const fact = campaignFact(campaign as unknown as CampaignResource);
    expect([fact.topic, fact.key]).toEqual(['campaigns.v1', 'campaign']);
    expect(read(fact)).toEqual({
      campaign_id: 'campaign',
      ...owned,
      ...fields,
      schedule: limits,
      targeting: lists,
      version: 3,
      created_at: AT,
    });
  });
});

describe('a change of a product', () => {
  it('begins with all fields of the merchant, and no others', () => {
    const fields = {
      site_id: 'site',
      product_id: 'p-1',
      title: 'Shoe',
      url: 'https://shop.example/shoe',
      image_url: null,
      price: '12.50',
      currency: 'EUR',
      availability: 'in_stock',
      attributes: { size: 40 },
    } as const;
    const product: ProductResource = { ...fields, ...VERSIONED, id: 'product' };
    expect(productFields(product)).toEqual(fields);
  });
});
