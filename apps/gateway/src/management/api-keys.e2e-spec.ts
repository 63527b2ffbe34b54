import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ApiKeyResource, SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, untilHourLasts } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

type CreatedKey = ApiKeyResource & { readonly key: string };

interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

const KEY = { name: 'Backend', scopes: ['events:write'] };
const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };

describe('interface page, sections 1, 2 and 9: API keys', () => {
  let product: Product;
  let merchant: Merchant;
  let outsider: Merchant;
  let site: SiteResource;
  let keys: string;

  beforeAll(async () => {
    product = await sharedProduct();
    [merchant, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
    site = (await merchant.post<SiteResource>('sites', SITE)).body.data as SiteResource;
    keys = `sites/${site.id}/api-keys`;
  });

  afterAll(() => product.stop());

  const post = (body: object = KEY, headers = {}): Promise<Answer<CreatedKey>> =>
    merchant.post(keys, body, headers);
  const create = async (body: object = KEY): Promise<CreatedKey> => {
    const answer = await post(body);
    expect(answer.status).toBe(201);
    return answer.body.data as CreatedKey;
  };
  const rotate = (id: string, body: object = {}, headers = {}): Promise<Answer<CreatedKey>> =>
    merchant.post(`${keys}/${id}/rotate`, body, headers);
  /** 400 for a valid key, because its event is invalid. */
  const use = (key: string, baseUrl = product.baseUrl) =>
    request(`${baseUrl}/events/track`, { json: {}, headers: { 'x-api-key': key } });
  const status = async (key: string, baseUrl = product.baseUrl): Promise<number> =>
    (await use(key, baseUrl)).status;
  const read = async (id: string): Promise<ApiKeyResource> =>
    (await merchant.get<ApiKeyResource>(`${keys}/${id}`)).body.data as ApiKeyResource;

  it('API keys are answered whole once, and work with the next request, on every gateway soon', async () => {
    const answer = await post();
    expect([answer.status, answer.headers.get('etag')]).toEqual([201, '"1"']);
    const { key, ...resource } = answer.body.data as CreatedKey;
    expect(key).toMatch(/^ck_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
    expect(resource).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      site_id: site.id,
      name: 'Backend',
      prefix: key.slice(3, 11),
      scopes: ['events:write'],
      hourly_limit: 1_000,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: resource.created_at,
    });
    expect(await status(key)).toBe(400);
    const other = product.gateways[1]?.baseUrl;
    await eventually(async () => (await status(key, other)) === 400);
    const again = await merchant.get<CreatedKey>(`${keys}/${resource.id}`);
    expect(Object.keys(again.body.data ?? {})).not.toContain('key');
    expect(again.text + (await product.logs())).not.toContain(key.slice(12));
  });

  it('leave the key out of a replay', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await post(KEY, headers);
    const again = await post(KEY, headers);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    const { key, ...resource } = first.body.data as CreatedKey;
    expect(again.body.data).toEqual(resource);
    expect(await status(key)).toBe(400);
    expect((await post({ ...KEY, name: 'Other' }, headers)).status).toBe(409);
  });

  it.each<[string, object, Readonly<Record<string, readonly string[]>>]>([
    [
      'nothing',
      {},
      {
        name: ['must be a non-empty string of at most 120 characters; got nothing'],
        scopes: ['must be an array of 1 to 6 items; got nothing'],
      },
    ],
    [
      'scopes that are none, no limit and an end that is past',
      {
        name: 'x',
        scopes: ['events:write', 'everything', 7],
        hourly_limit: 0,
        expires_at: '2020-01-01T00:00:00Z',
      },
      {
        'scopes.1': [
          'must be one of events:write, profiles:import, commerce:write, partner_attribution:convert, partner_attribution:read, analytics:read; got 10 characters',
        ],
        'scopes.2': [
          'must be one of events:write, profiles:import, commerce:write, partner_attribution:convert, partner_attribution:read, analytics:read; got a number',
        ],
        hourly_limit: ['must be a whole number from 1 to 1000000000; got another number'],
        expires_at: ['must be in the future'],
      },
    ],
    [
      'no time, and what the gateway says',
      { ...KEY, expires_at: 'tomorrow', prefix: 'abcdefgh', hash: 'a'.repeat(64), key: 'ck_' },
      {
        expires_at: ['must be an ISO 8601 date and time with an offset; got 8 characters'],
        prefix: ['is not a known field'],
        hash: ['is not a known field'],
        key: ['is not a known field'],
      },
    ],
  ])('API keys with %s are refused', async (_name, body, details) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error?.details]).toEqual([400, details]);
  });

  it('API keys are listed newest first, page by page, by their prefix', async () => {
    const other = (await merchant.post<SiteResource>('sites', SITE)).body.data as SiteResource;
    const path = `sites/${other.id}/api-keys`;
    for (const name of ['One', 'Two', 'Three']) await merchant.post(path, { ...KEY, name });
    const first = await merchant.get<Listed<ApiKeyResource>>(`${path}?limit=2`);
    const second = await merchant.get<Listed<ApiKeyResource>>(
      `${path}?limit=2&cursor=${first.body.data?.next_cursor ?? ''}`,
    );
    const listed = [...(first.body.data?.items ?? []), ...(second.body.data?.items ?? [])];
    expect(listed.map(({ name }) => name)).toEqual(['Three', 'Two', 'One']);
    expect(first.text).not.toMatch(/"(key|hash|limit_id)"/);
  });

  it('change in the fields of a PATCH, at once', async () => {
    const { id, key } = await create({ ...KEY, hourly_limit: 7, expires_at: '2099-01-01T00:00:00+01:00' });
    expect((await use(key)).headers.get('x-ratelimit-limit')).toBe('7');
    const changed = await merchant.patch<ApiKeyResource>(
      `${keys}/${id}`,
      { hourly_limit: 8, scopes: ['analytics:read'] },
      { 'if-match': '"1"' },
    );
    expect([changed.status, changed.body.data]).toMatchObject([
      200,
      { hourly_limit: 8, scopes: ['analytics:read'], expires_at: '2098-12-31T23:00:00.000Z', version: 2 },
    ]);
    expect(await status(key)).toBe(401);
    const usual = await merchant.patch<ApiKeyResource>(`${keys}/${id}`, {
      hourly_limit: null,
      expires_at: null,
    });
    expect(usual.body.data).toMatchObject({ hourly_limit: 1_000, expires_at: null });
    expect((await merchant.patch(`${keys}/${id}`, { name: 'x' }, { 'if-match': '"1"' })).status).toBe(409);
    expect((await merchant.patch(`${keys}/${id}`, { prefix: 'abcdefgh' })).status).toBe(400);
  });

  it('API keys are revoked by DELETE, on every gateway, stay readable, and never live again', async () => {
    const { id, key } = await create();
    const other = product.gateways[1]?.baseUrl;
    await eventually(async () => (await status(key, other)) === 400);
    expect((await merchant.delete(`${keys}/${id}`, { 'if-match': '"7"' })).status).toBe(409);
    const revoked = await merchant.delete(`${keys}/${id}`);
    expect([revoked.status, revoked.body.data]).toEqual([200, { id, deleted: true }]);
    expect(await status(key)).toBe(401);
    await eventually(async () => (await status(key, other)) === 401);
    const { revoked_at } = await read(id);
    expect(revoked_at).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    expect((await merchant.delete(`${keys}/${id}`)).status).toBe(200);
    expect((await read(id)).revoked_at).toBe(revoked_at);
    for (const answer of [await merchant.patch(`${keys}/${id}`, { name: 'x' }), await rotate(id)]) {
      expect([answer.status, answer.body.error?.code]).toEqual([409, 'CONFLICT']);
    }
  });

  describe('rotated', () => {
    it('a rotated API key ends after the overlap', async () => {
      const old = await create();
      const next = (await rotate(old.id, { overlap_seconds: 2 })).body.data as CreatedKey;
      const ends = Date.parse((await read(old.id)).expires_at ?? '');
      expect(ends - Date.parse(next.created_at)).toBe(2_000);
      await eventually(async () => (await status(old.key)) === 401);
      expect(Date.now()).toBeGreaterThanOrEqual(ends);
      expect(await status(next.key)).toBe(400);
      expect((await rotate(old.id)).status).toBe(409);
    });

    it('a rotated API key has a new key beside it, and shares its limit', async () => {
      await untilHourLasts();
      const old = await create({ ...KEY, hourly_limit: 5 });
      const answer = await rotate(old.id);
      expect(answer.status).toBe(200);
      const next = answer.body.data as CreatedKey;
      expect(next).toMatchObject({ name: 'Backend', scopes: KEY.scopes, hourly_limit: 5, version: 1 });
      expect([next.id === old.id, next.key === old.key, next.prefix === old.prefix]).toEqual([
        false,
        false,
        false,
      ]);
      const remaining: (string | null)[] = [];
      for (const key of [old.key, next.key, old.key]) {
        remaining.push((await use(key)).headers.get('x-ratelimit-remaining'));
      }
      expect(remaining).toEqual(['4', '3', '2']);
      expect((await use(next.key)).headers.get('x-ratelimit-limit')).toBe('5');
    });

    it('rotated API keys without an overlap end at once; with one, never later than they would have', async () => {
      const at_once = await create();
      const answer = await rotate(at_once.id, { overlap_seconds: 0 });
      expect([await status(at_once.key), await status(String(answer.body.data?.key))]).toEqual([401, 400]);
      const expires_at = new Date(Date.now() + 60_000).toISOString();
      const brief = await create({ ...KEY, expires_at });
      const next = await rotate(brief.id);
      expect((await read(brief.id)).expires_at).toBe(expires_at);
      expect(next.body.data?.expires_at).toBe(expires_at);
    });

    it('need no body, because no field is required', async () => {
      const { id } = await create();
      const answer = await request<CreatedKey>(`${product.baseUrl}/${keys}/${id}/rotate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${merchant.token}` },
      });
      expect([answer.status, await status(String(answer.body.data?.key))]).toEqual([200, 400]);
      expect((await merchant.post(`${keys}/${id}/rotate`, null)).status).toBe(400);
    });

    it('rotated API keys overlap an hour by default; a replay omits the key, however the path is spelt', async () => {
      const old = await create();
      const headers = { 'idempotency-key': randomUUID() };
      const first = await rotate(old.id, {}, headers);
      const again = await rotate(old.id.toUpperCase(), {}, headers);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      const { key, ...resource } = first.body.data as CreatedKey;
      expect([typeof key, again.body.data]).toEqual(['string', resource]);
      expect(Date.parse((await read(old.id)).expires_at ?? '') - Date.parse(resource.created_at)).toBe(
        3_600_000,
      );
    });

    it.each([
      [
        { overlap_seconds: -1 },
        { overlap_seconds: ['must be a whole number from 0 to 604800; got another number'] },
      ],
      [
        { overlap_seconds: 604_801 },
        { overlap_seconds: ['must be a whole number from 0 to 604800; got another number'] },
      ],
      [
        { overlap_seconds: '9', name: 'x' },
        {
          overlap_seconds: ['must be a whole number from 0 to 604800; got 1 character'],
          name: ['is not a known field'],
        },
      ],
    ])('rotations of API keys with %j are refused', async (body, details) => {
      const { id } = await create();
      const answer = await rotate(id, body);
      expect([answer.status, answer.body.error?.details]).toEqual([400, details]);
    });

    it('API keys are rotated at most once at the same version', async () => {
      const { id } = await create();
      const answers = await Promise.all([1, 2, 3].map(() => rotate(id, {}, { 'if-match': '"1"' })));
      expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
    });
  });

  it('say when they were used last, a little late, and never earlier than before', async () => {
    const { id, key } = await create();
    const before = Date.now();
    await use(key);
    const lastUse = async () => Date.parse((await read(id)).last_used_at ?? '');
    await eventually(async () => (await lastUse()) >= before);
    const first = await lastUse();
    expect(first).toBeLessThanOrEqual(Date.now());
    expect((await read(id)).version).toBe(1);
    // The other gateway learns the key soon: what it refuses until then is no use.
    const other = product.gateways[1]?.baseUrl;
    await eventually(async () => (await status(key, other)) === 400);
    await eventually(async () => (await lastUse()) > first);
  });

  it('API keys are for owners and admins; analysts read; another workspace’s are 404', async () => {
    const analyst = await merchant.invite('analyst');
    const { id } = await create();
    const path = `${keys}/${id}`;
    expect((await analyst.get(path)).status).toBe(200);
    for (const answer of [
      await analyst.post(keys, KEY),
      await analyst.patch(path, { name: 'x' }),
      await analyst.post(`${path}/rotate`, {}),
      await analyst.delete(path),
    ]) {
      expect(answer.status).toBe(403);
    }
    const theirs = (await outsider.post<SiteResource>('sites', SITE)).body.data as SiteResource;
    for (const answer of [
      await outsider.get(keys),
      await outsider.post(keys, KEY),
      await outsider.get(path),
      await outsider.get(`sites/${theirs.id}/api-keys/${id}`),
      await outsider.patch(`sites/${theirs.id}/api-keys/${id}`, { name: 'x' }),
      await outsider.post(`sites/${theirs.id}/api-keys/${id}/rotate`, {}),
      await outsider.delete(`sites/${theirs.id}/api-keys/${id}`),
      await merchant.get(`${keys}/${randomUUID()}`),
      await merchant.get(`${keys}/not-an-id`),
    ]) {
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await read(id)).revoked_at).toBeNull();
  });
});
