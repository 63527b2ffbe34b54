import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  integrationSealContext,
  type IntegrationResource,
  type SiteResource,
} from '@truetally/contracts/management';
import { Keyring, readKeyringFile } from '@truetally/keyring';
import { type Answer, request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { type Listed, openShop, resourceOf } from '../testing/catalogue.js';
import { Merchant } from '../testing/merchant.js';
import { queryProduct } from '../testing/query-product.js';

const CREDENTIALS = { publisher_id: '481516', api_token: 'token-of-the-merchant' };

describe('interface page, section 9: integrations', () => {
  let product: Product;
  let merchant: Merchant;
  let outsider: Merchant;
  let site: SiteResource;

  beforeAll(async () => {
    product = await sharedProduct();
    [merchant, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
    site = await openShop(merchant);
  });

  afterAll(() => product.stop());

  const post = (body: object = {}, headers = {}): Promise<Answer<IntegrationResource>> => {
    const whole = { site_id: site.id, provider: 'awin', credentials: CREDENTIALS, ...body };
    return merchant.post<IntegrationResource>('integrations', whole, headers);
  };
  const create = async (body: object = {}): Promise<IntegrationResource> => resourceOf(await post(body));
  /** The row's credentials, opened with the keyring. */
  const storedCredentials = async (id: string): Promise<unknown> => {
    const [row] = await queryProduct<{ key_id: string; sealed: Buffer }>(
      product,
      'management',
      'select key_id, sealed from integrations where id = $1',
      [id],
    );
    const ring = new Keyring(readKeyringFile(product.installation.keyringFile));
    const sealed = { keyId: String(row?.key_id), sealed: row?.sealed ?? Buffer.alloc(0) };
    const opened = ring.open(sealed, integrationSealContext(id));
    return opened.ok ? JSON.parse(opened.value) : opened.error;
  };

  it('integrations are created, are in data at once without credentials, and are stored sealed', async () => {
    const answer = await post({ base_url: 'https://api.awin.example/v1' });
    expect([answer.status, answer.headers.get('etag')]).toEqual([201, '"1"']);
    const created = resourceOf(answer);
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      site_id: site.id,
      provider: 'awin',
      base_url: 'https://api.awin.example/v1',
      status: 'pending',
      last_sync_at: null,
      last_error: null,
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: created.created_at,
    });
    expect((await merchant.get(`integrations/${created.id}`)).body.data).toEqual(created);
    expect(await storedCredentials(created.id)).toEqual(CREDENTIALS);
  });

  it('name every broken rule at once, without any submitted value', async () => {
    const answer = await post({
      provider: 'rakuten',
      credentials: { api_token: 7 },
      base_url: 'https://user:S3cret@api.example',
      api_token: 'S3cret',
    });
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.error?.details).toEqual({
      provider: ['must be one of awin, cj, product_feed; got 7 characters'],
      'credentials.publisher_id': ['must be a non-empty string of at most 128 characters; got nothing'],
      'credentials.api_token': ['must be a non-empty string of at most 1024 characters; got a number'],
      base_url: [
        'must be an absolute http(s) URL of at most 2048 characters, without user, query or fragment; got a URL of 31 characters with a user',
      ],
      api_token: ['is not a known field'],
    });
    expect(answer.text).not.toContain('S3cret');
  });

  describe('when they are changed', () => {
    it('take new credentials whole, and are to be tried again', async () => {
      const { id } = await create({ base_url: 'https://api.awin.example' });
      const half = await merchant.patch(`integrations/${id}`, { credentials: { api_token: 'new' } });
      expect([half.status, Object.keys(half.body.error?.details ?? {})]).toEqual([
        400,
        ['credentials.publisher_id'],
      ]);
      const renewed = { publisher_id: '2342', api_token: 'renewed' };
      const changed = await merchant.patch<IntegrationResource>(`integrations/${id.toUpperCase()}`, {
        credentials: renewed,
      });
      expect([changed.status, changed.headers.get('etag'), changed.body.data]).toMatchObject([
        200,
        '"2"',
        { base_url: 'https://api.awin.example', status: 'pending', version: 2 },
      ]);
      expect(changed.text).not.toContain('renewed');
      expect(await storedCredentials(id)).toEqual(renewed);
    });

    it('keep their credentials while something else changes, and lose a base_url by null', async () => {
      const { id } = await create({ base_url: 'https://api.awin.example' });
      const changed = await merchant.patch(`integrations/${id}`, { base_url: null, provider: 'awin' });
      expect([changed.status, changed.body.data]).toMatchObject([200, { base_url: null, version: 2 }]);
      expect(await storedCredentials(id)).toEqual(CREDENTIALS);
    });

    it('stay with their site and network', async () => {
      const { id } = await create();
      const answer = await merchant.patch(`integrations/${id}`, { provider: 'cj', site_id: randomUUID() });
      expect([answer.status, answer.body.error?.details]).toEqual([
        400,
        { site_id: ['cannot be changed'], provider: ['cannot be changed'] },
      ]);
      const required = await merchant.patch(`integrations/${id}`, { credentials: null, status: 'connected' });
      expect(Object.keys(required.body.error?.details ?? {}).sort()).toEqual([
        'credentials',
        'credentials.api_token',
        'credentials.publisher_id',
        'status',
      ]);
    });

    it('take If-Match on PATCH and DELETE', async () => {
      const { id } = await create();
      const patch = { base_url: 'https://api.awin.example' };
      expect((await merchant.patch(`integrations/${id}`, patch, { 'if-match': '"1"' })).status).toBe(200);
      const same = await merchant.patch(`integrations/${id}`, patch, { 'if-match': '"2"' });
      expect([same.status, same.headers.get('etag')]).toEqual([200, '"2"']);
      const late = await merchant.patch(`integrations/${id}`, patch, { 'if-match': '"1"' });
      expect([late.status, late.body.error?.details]).toEqual([
        409,
        { version: ['is stale: the current version is 2'] },
      ]);
      expect((await merchant.delete(`integrations/${id}`, { 'if-match': '"1"' })).status).toBe(409);
      const gone = await merchant.delete(`integrations/${id}`, { 'if-match': '"2"' });
      expect([gone.status, gone.body.data]).toEqual([200, { id, deleted: true }]);
      expect((await merchant.get(`integrations/${id}`)).status).toBe(404);
      expect(await storedCredentials(id)).toBe('unknown-key');
    });
  });

  it('integrations are created once under an Idempotency-Key, which covers their credentials too', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const [first, again] = [await post({}, key), await post({}, key)];
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([
      201,
      'true',
      first.body.data,
    ]);
    const other = await post({ credentials: { ...CREDENTIALS, api_token: 'another' } }, key);
    expect([other.status, other.body.error?.code]).toEqual([409, 'CONFLICT']);
  });

  it('integrations are listed newest first, by site and network; a site may have two at one network', async () => {
    const lister = await Merchant.join(product);
    const shops = [await openShop(lister), await openShop(lister)];
    const made: IntegrationResource[] = [];
    for (const [index, provider] of ['awin', 'cj', 'awin', 'awin'].entries()) {
      const body = { site_id: shops[index % 2]?.id, provider, credentials: CREDENTIALS };
      made.unshift(resourceOf(await lister.post<IntegrationResource>('integrations', body)));
    }
    const listed = async (query: string) =>
      resourceOf(await lister.get<Listed<IntegrationResource>>(`integrations?${query}`));
    const first = await listed('limit=3');
    const rest = await listed(`limit=3&cursor=${first.next_cursor}`);
    expect([...first.items, ...rest.items]).toEqual(made);
    expect(rest.next_cursor).toBeNull();
    expect((await listed('provider=awin')).items).toEqual(made.filter(({ provider }) => provider === 'awin'));
    const ofOne = await listed(`site_id=${shops[0]?.id}&provider=awin`);
    expect(ofOne.items).toHaveLength(2);
    expect((await outsider.get(`integrations?site_id=${shops[0]?.id}`)).status).toBe(404);
    const unknown = await lister.get('integrations?provider=rakuten&status=pending');
    expect([unknown.status, unknown.body.error?.code]).toEqual([400, 'BAD_REQUEST']);
    const theirs = await outsider.get<Listed<IntegrationResource>>('integrations');
    expect(theirs.body.data).toEqual({ items: [], next_cursor: null });
  });

  it('integrations are 404 in another workspace, and wherever the id is none', async () => {
    const { id } = await create();
    const answers = [
      await outsider.get(`integrations/${id}`),
      await outsider.patch(`integrations/${id}`, { credentials: CREDENTIALS }),
      await outsider.delete(`integrations/${id}`),
      await outsider.post('integrations', { site_id: site.id, provider: 'cj', credentials: CREDENTIALS }),
      await merchant.get(`integrations/${randomUUID()}`),
      await merchant.patch('integrations/none', { base_url: null }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(await storedCredentials(id)).toEqual(CREDENTIALS);
  });

  it('integrations are read by analysts, changed by owners and admins, and refused to API keys', async () => {
    const { id } = await create();
    const [analyst, admin] = [await merchant.invite('analyst'), await merchant.invite('admin')];
    expect((await analyst.get(`integrations/${id}`)).status).toBe(200);
    expect((await analyst.patch(`integrations/${id}`, { base_url: null })).status).toBe(403);
    expect((await analyst.delete(`integrations/${id}`)).status).toBe(403);
    expect((await admin.patch(`integrations/${id}`, { base_url: null })).status).toBe(200);
    const { key } = await product.createApiKey(site);
    const byKey = await request(`${product.baseUrl}/integrations`, { headers: { 'x-api-key': key } });
    expect(byKey.status).toBe(401);
  });
});
