import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ApiKeyResource,
  AuditEntryResource,
  MemberResource,
  SiteResource,
} from '@truetally/contracts/management';
import { type Answer, request, uniqueName } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

describe('interface page, section 9: the audit log', () => {
  let product: Product;
  let owner: Merchant;
  let admin: Merchant;
  let site: SiteResource;
  let key: ApiKeyResource & { readonly key: string };
  let member: MemberResource;

  beforeAll(async () => {
    product = await sharedProduct();
    owner = await Merchant.join(product);
    admin = await owner.invite('admin');
    const body = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };
    site = (await admin.post<SiteResource>('sites', body)).body.data as SiteResource;
    const keys = `sites/${site.id}/api-keys`;
    key = (await admin.post<typeof key>(keys, { name: 'Backend', scopes: ['events:write'] })).body
      .data as typeof key;
    await admin.post(`${keys}/${key.id}/rotate`, {});
    await owner.delete(`${keys}/${key.id}`);
    const people = `workspaces/${owner.workspaceId}/members`;
    member = (await owner.post<MemberResource>(people, { sub: uniqueName('m'), role: 'analyst' })).body
      .data as MemberResource;
    await owner.delete(`${people}/${member.id}`);
    await request(`${product.adminUrl}/workspaces/${owner.workspaceId}`, {
      method: 'PATCH',
      json: { hourly_limit: 999_999 },
      headers: { authorization: `Bearer ${product.adminSecret}` },
    });
  });

  afterAll(() => product.stop());

  const read = (query = '', who = owner): Promise<Answer<Listed<AuditEntryResource>>> =>
    who.get(`audit-log${query}`);
  const entries = async (query: string) => (await read(query)).body.data?.items ?? [];

  it('lists who changed what, newest first, including the platform itself', async () => {
    const items = await entries('');
    expect(items.map(({ action, resource, actor }) => [action, resource, actor])).toEqual([
      ['update', 'workspace', null],
      ['delete', 'member', owner.sub],
      ['create', 'member', owner.sub],
      ['revoke', 'api_key', owner.sub],
      ['rotate', 'api_key', admin.sub],
      ['create', 'api_key', admin.sub],
      ['create', 'site', admin.sub],
      ['accept', 'member', admin.sub],
      ['create', 'member', null],
      // Set by the fixture: only the platform can set a limit.
      ['update', 'workspace', null],
      ['create', 'workspace', owner.sub],
    ]);
    expect(items[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      actor: owner.sub,
      action: 'delete',
      resource: 'member',
      resource_id: member.id,
    });
  });

  it('holds no secret', async () => {
    const { text } = await read();
    expect(text).not.toContain(key.key.slice(12));
    expect(text).not.toContain(key.prefix);
  });

  it('the audit log is read page by page, each entry once', async () => {
    const all = (await entries('')).map(({ id }) => id);
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer<Listed<AuditEntryResource>> = await read(
        `?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      paged.push(...(page.body.data?.items ?? []).map(({ id }) => id));
      cursor = page.body.data?.next_cursor ?? null;
    } while (cursor !== null);
    expect(paged).toEqual(all);
  });

  it('the audit log is narrowed by actor, resource and its id, also together and page by page', async () => {
    expect((await entries(`?actor=${admin.sub}`)).map(({ action }) => action)).toEqual([
      'rotate',
      'create',
      'create',
      'accept',
    ]);
    expect(await entries('?resource=site')).toHaveLength(1);
    expect((await entries(`?resource_id=${key.id}`)).map(({ action }) => action)).toEqual([
      'revoke',
      'rotate',
      'create',
    ]);
    expect(await entries(`?resource=api_key&actor=${owner.sub}`)).toHaveLength(1);
    expect(await entries('?resource=nothing')).toEqual([]);
    expect(await entries(`?actor=${encodeURIComponent('\u{1f642}'.repeat(255))}`)).toEqual([]);
    const first = await read(`?resource=api_key&limit=2`);
    const rest = await entries(`?resource=api_key&limit=2&cursor=${first.body.data?.next_cursor ?? ''}`);
    expect(rest.map(({ action }) => action)).toEqual(['create']);
  });

  it.each([
    ['?resource_id=7', { resource_id: ['must be a UUID; got 1 character'] }],
    ['?actor=', { actor: ['must be a non-empty string of at most 255 characters'] }],
    ['?actor=%00', { actor: ['must be a non-empty string of at most 255 characters'] }],
    ['?resource=a&resource=b', { resource: ['must be given once'] }],
    ['?cursor=abc', { cursor: ['must be the next_cursor of a page'] }],
  ])('refuses %s', async (query, details) => {
    const answer = await read(query);
    expect([answer.status, answer.body.error?.details]).toEqual([400, details]);
  });

  it('the audit log is for owners only, and each workspace has its own', async () => {
    expect((await read('', admin)).body.error?.code).toBe('FORBIDDEN');
    const outsider = await Merchant.join(product);
    const theirs = (await read('', outsider)).body.data?.items ?? [];
    expect(theirs.every(({ resource }) => resource === 'workspace')).toBe(true);
    expect((await read(`?resource_id=${site.id}`, outsider)).body.data?.items).toEqual([]);
  });
});
