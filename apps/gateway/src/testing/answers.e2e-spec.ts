import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, request, uniqueName } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { AnswerSchemas } from './answer-schemas.js';
import { fileForm, FORM_TYPE } from './form.js';
import { Merchant } from './merchant.js';
import { pictureFiles } from './pictures.js';

const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };
const CAMPAIGN = { type: 'overlay', name: 'Welcome', content: { layout: 'modal', title: 'Hello' } };

describe('what a route answers is of the class that it declares', () => {
  let product: Product;
  let owner: Merchant;
  let schemas: AnswerSchemas;
  let siteId: string;
  const seen = new Set<string>();

  beforeAll(async () => {
    [product, schemas] = await Promise.all([sharedProduct(), AnswerSchemas.open()]);
    owner = await Merchant.join(product);
    siteId = (await sent('POST', 'sites', SITE)).id;
  });

  afterAll(() => product.stop());

  interface Data {
    readonly id: string;
    readonly job_id: string;
  }

  function judged(method: string, pathname: string, { status, body, text }: Answer<Data>): Data {
    if (status >= 300 || body.data === undefined) throw new Error(`${method} ${pathname}: ${status} ${text}`);
    const { route, faults } = schemas.judge(method, pathname, JSON.parse(text).data);
    expect({ route, faults }).toEqual({ route, faults: [] });
    seen.add(route);
    return body.data;
  }

  async function sent(method: string, path: string, json?: object, as = owner): Promise<Data> {
    const url = `${product.baseUrl}/${path}`;
    const headers = { authorization: `Bearer ${as.token}`, 'x-workspace-id': as.workspaceId };
    const answer = await request<Data>(url, { method, headers, ...(json && { json }) });
    return judged(method, new URL(url).pathname, answer);
  }

  /** Makes one, and asks for it in every way there is. */
  async function walk(path: string, body: object, change?: object): Promise<void> {
    const { id } = await sent('POST', path, body);
    await sent('GET', `${path}/${id}`);
    await sent('GET', path);
    if (change !== undefined) await sent('PATCH', `${path}/${id}`, change);
    await sent('DELETE', `${path}/${id}`);
  }

  it('campaigns', () =>
    walk(
      'campaigns',
      {
        ...CAMPAIGN,
        site_id: siteId,
        schedule: { from: '2026-01-01T00:00:00Z' },
        targeting: { languages: ['de'], device_types: ['mobile'] },
      },
      { schedule: null, targeting: null },
    ));

  it('products, alone and in batches', async () => {
    const attributes = { colour: 'red', sizes: [1, 2.5] };
    const whole = {
      site_id: siteId,
      product_id: randomUUID(),
      title: 'Shoe',
      price: '12.5',
      currency: 'EUR',
    };
    await walk('products', { ...whole, url: 'https://shop.example/1', attributes }, { price: null });
    await sent('PUT', 'products/batch', { site_id: siteId, products: [{ product_id: 'b', title: 'Boot' }] });
  });

  it('integrations', () =>
    walk(
      'integrations',
      { site_id: siteId, provider: 'cj', credentials: { publisher_id: '1', api_token: 'token' } },
      { base_url: 'https://api.network.example' },
    ));

  it('API keys, and the text of a new one', async () => {
    const keys = `sites/${siteId}/api-keys`;
    await walk(keys, { name: 'Backend', scopes: ['events:write'] }, { expires_at: '2099-01-01T00:00:00Z' });
    const { id } = await sent('POST', keys, { name: 'Other', scopes: ['events:write'] });
    await sent('POST', `${keys}/${id}/rotate`, {});
  });

  it('members, and what somebody answers to an invitation', async () => {
    const members = `workspaces/${owner.workspaceId}/members`;
    await walk(members, { sub: uniqueName('member'), role: 'analyst' }, { role: 'admin' });
    await walk(members, { email: `${uniqueName('member')}@shop.example`, role: 'analyst' });
    for (const answer of ['accept', 'decline']) {
      const sub = uniqueName('invited');
      await sent('POST', members, { sub, role: 'analyst' });
      const headers = { authorization: `Bearer ${await product.idToken({ sub })}` };
      const url = `${product.baseUrl}/${members}/${answer}`;
      judged('POST', new URL(url).pathname, await request(url, { method: 'POST', headers }));
    }
  });

  it('pictures', async () => {
    const url = `${product.baseUrl}/media`;
    const picked = { 'x-workspace-id': owner.workspaceId, 'content-type': FORM_TYPE };
    const headers = { authorization: `Bearer ${owner.token}`, ...picked };
    const sending = { method: 'POST', body: fileForm(pictureFiles.unique()), headers };
    const { id } = judged('POST', new URL(url).pathname, await request(url, sending));
    await sent('GET', 'media');
    await sent('GET', `media/${id}`);
    await sent('DELETE', `media/${id}`);
  });

  it('sites and workspaces, the job that erases them, and the log of all that', async () => {
    await sent('GET', `sites/${siteId}`);
    await sent('GET', 'sites');
    await sent('PATCH', `sites/${siteId}`, { partner: { lookback_days: 30 } });
    const { id } = await sent('POST', 'sites', SITE);
    const { job_id: jobId } = await sent('DELETE', `sites/${id}`);
    await sent('GET', `jobs/${jobId}`);
    await sent('GET', 'audit-log');
    await sent('GET', 'workspaces');
    const workspace = `workspaces/${(await sent('POST', 'workspaces', { name: 'Other' })).id}`;
    await sent('GET', workspace);
    await sent('PATCH', workspace, { name: 'Renamed' });
    await sent('DELETE', workspace);
  });

  it('what operators see of a workspace', async () => {
    const url = `${product.adminUrl}/workspaces/${owner.workspaceId}`;
    const { pathname } = new URL(url);
    const headers = { authorization: `Bearer ${product.adminSecret}` };
    judged('GET', pathname, await request(url, { headers }));
    judged(
      'PATCH',
      pathname,
      await request(url, { method: 'PATCH', json: { hourly_limit: 500_000 }, headers }),
    );
  });

  it('what is not of the class is found', () => {
    const known = { id: siteId, deleted: true };
    const faultsOf = (method: string, path: string, data: unknown): unknown =>
      schemas.judge(method, path, data).faults;
    expect(faultsOf('DELETE', `/api/v1/products/${siteId}`, known)).toEqual([]);
    expect(faultsOf('DELETE', `/api/v1/products/${siteId}`, { ...known, more: 1 })).not.toEqual([]);
    expect(faultsOf('DELETE', `/api/v1/products/${siteId}`, { id: siteId })).not.toEqual([]);
    expect(faultsOf('GET', '/api/v1/products', { items: [known], next_cursor: null })).not.toEqual([]);
  });

  it('every route that declares a class was asked, or is excused by name', () => {
    expect([...seen, ...EXCUSED].toSorted()).toEqual(schemas.declared.toSorted());
  });
});

/** Only what takes long can be cancelled: the pulls of an integration, which have a test of their own. */
const EXCUSED = ['POST /api/v1/jobs/:job_id/cancel'];
