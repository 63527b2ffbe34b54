import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DEFAULT_QUOTAS,
  type MediaResource,
  type Quotas,
  type SiteResource,
  type WorkspaceResource,
} from '@truetally/contracts/management';
import { type Answer, request, uniqueName } from '@truetally/testing';
import { fromElsewhere, type Product, sharedProduct } from '@truetally/testing-product';
import { fileForm, FORM_TYPE } from './form.js';
import { pictureFiles } from './pictures.js';
import { Merchant } from './merchant.js';

const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };

describe('interface page, section 9: an operator sets how much a workspace may hold', () => {
  let product: Product;
  let merchant: Merchant;
  let site: SiteResource;

  beforeAll(async () => {
    product = await sharedProduct();
    merchant = await Merchant.join(product);
    site = (await merchant.post<SiteResource>('sites', SITE)).body.data as SiteResource;
  });

  afterAll(() => product.stop());

  const set = (
    quotas: object | null,
    headers: Readonly<Record<string, string>> = { authorization: `Bearer ${product.adminSecret}` },
  ): Promise<Answer<WorkspaceResource>> =>
    request(`${product.adminUrl}/workspaces/${merchant.workspaceId}`, {
      method: 'PATCH',
      json: { quotas },
      headers,
    });
  const verdict = ({ status, body }: Answer<unknown>) =>
    status < 300 ? status : [status, body.error?.code, Object.keys(body.error?.details ?? {})];
  const full = (quota: keyof Quotas) => [409, 'CONFLICT', [quota]];
  const sendPicture = (content = pictureFiles.unique()): Promise<Answer<MediaResource>> =>
    request(`${product.baseUrl}/media`, {
      method: 'POST',
      body: fileForm(content),
      headers: {
        authorization: `Bearer ${merchant.token}`,
        'x-workspace-id': merchant.workspaceId,
        'content-type': FORM_TYPE,
      },
    });
  const integrate = (): Promise<Answer<{ id: string }>> =>
    merchant.post('integrations', {
      site_id: site.id,
      provider: 'awin',
      credentials: { publisher_id: '1', api_token: uniqueName('token') },
    });

  it('sets those that are given, keeps the others, and null restores the default', async () => {
    const changed = await set({ media: 2, integrations: 1 });
    expect([changed.status, changed.body.data?.quotas]).toEqual([
      200,
      { ...DEFAULT_QUOTAS, media: 2, integrations: 1 },
    ]);
    const own = await merchant.get<WorkspaceResource>(`workspaces/${merchant.workspaceId}`);
    expect(own.body.data?.quotas).toEqual(changed.body.data?.quotas);
    expect((await set(null)).body.data?.quotas).toEqual(DEFAULT_QUOTAS);
  });

  it('refuses unknown quotas and invalid numbers, and callers that are no operator', async () => {
    const refused = await set({ sites: -1, pictures: 3, media_bytes: 'many' });
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body.error?.details ?? {}).toSorted()).toEqual(
      expect.arrayContaining(['quotas.media_bytes', 'quotas.sites']),
    );
    expect(
      (await set({ sites: 1_000 }, { authorization: `Bearer ${merchant.token}`, ...fromElsewhere() })).status,
    ).toBe(401);
    const path = `workspaces/${merchant.workspaceId}`;
    expect((await merchant.patch(path, { quotas: { sites: 1_000 } })).status).toBe(400);
  });

  it('quotas of pictures and their bytes: 409 names the one that is full, and a deletion makes room', async () => {
    expect((await set({ media: 1 })).status).toBe(200);
    const first = await sendPicture();
    expect(verdict(first)).toBe(201);
    expect(verdict(await sendPicture())).toEqual(full('media'));
    expect((await merchant.delete(`media/${first.body.data?.id}`)).status).toBe(200);
    const bytes = Number(first.body.data?.bytes);
    expect((await set({ media: null, media_bytes: 0 })).status).toBe(200);
    expect(verdict(await sendPicture())).toEqual(full('media_bytes'));
    expect((await set({ media_bytes: 10 * bytes })).status).toBe(200);
    expect(verdict(await sendPicture())).toBe(201);
    expect((await set({ media_bytes: 1 })).status).toBe(200);
    // Existing resources stay.
    expect((await merchant.get<{ items: unknown[] }>('media')).body.data?.items).toHaveLength(1);
  });

  it('the quota of integrations bounds them, and a deletion makes room', async () => {
    expect((await set({ integrations: 1 })).status).toBe(200);
    const first = await integrate();
    expect(verdict(first)).toBe(201);
    expect(verdict(await integrate())).toEqual(full('integrations'));
    expect((await merchant.delete(`integrations/${first.body.data?.id}`)).status).toBe(200);
    expect((await merchant.get('integrations')).status).toBe(200);
    expect((await set({ integrations: 0 })).status).toBe(200);
    expect(verdict(await integrate())).toEqual(full('integrations'));
  });

  it('the quotas of sites, members, keys and campaigns bound them, and 409 names the full one', async () => {
    expect((await set({ sites: 1, members: 1, api_keys: 0, campaigns: 0 })).status).toBe(200);
    const member = { sub: uniqueName('m'), role: 'analyst' };
    const key = { name: 'Backend', scopes: ['events:write'] };
    const content = { layout: 'banner', title: 'Welcome' };
    const campaign = { site_id: site.id, type: 'overlay', name: 'Welcome', content };
    expect(verdict(await merchant.post('sites', SITE))).toEqual(full('sites'));
    const members = `workspaces/${merchant.workspaceId}/members`;
    expect(verdict(await merchant.post(members, member))).toEqual(full('members'));
    expect(verdict(await merchant.post(`sites/${site.id}/api-keys`, key))).toEqual(full('api_keys'));
    expect(verdict(await merchant.post('campaigns', campaign))).toEqual(full('campaigns'));
    expect((await set({ campaigns: 1, active_content_bytes: 4 })).status).toBe(200);
    const active = { ...campaign, status: 'active' };
    expect(verdict(await merchant.post('campaigns', active))).toEqual(full('active_content_bytes'));
    expect(verdict(await merchant.post('campaigns', campaign))).toBe(201);
  });

  it('the quota of workspaces per user is twenty, and cannot be changed', async () => {
    const authorization = `Bearer ${await product.idToken({ sub: uniqueName('founder') })}`;
    const found = (): Promise<Answer<unknown>> =>
      request(`${product.baseUrl}/workspaces`, { json: { name: 'Mine' }, headers: { authorization } });
    const answers = await Promise.all(Array.from({ length: 22 }, found));
    const verdicts = answers.map((answer) => JSON.stringify(verdict(answer))).toSorted();
    expect(verdicts).toEqual([
      ...Array.from({ length: 20 }, () => '201'),
      ...Array.from({ length: 2 }, () => JSON.stringify([409, 'CONFLICT', ['workspaces']])),
    ]);
  });
});
