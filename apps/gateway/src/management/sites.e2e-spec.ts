import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { sendRaw } from '../testing/raw-http.js';
import { Merchant } from '../testing/merchant.js';

const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: ['https://shop.example'] };
const PARTNER = { providers: ['awin', 'cj'], attribution_model: 'linear', lookback_days: null };
const VALIDATION = { success: false, error: { code: 'VALIDATION_ERROR' } };

describe('interface page, sections 1 and 9: sites', () => {
  let product: Product;
  let merchant: Merchant;
  let outsider: Merchant;

  beforeAll(async () => {
    product = await sharedProduct();
    [merchant, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
  });

  afterAll(() => product.stop());

  const create = async (site: object = SITE): Promise<SiteResource> => {
    const created = await merchant.post<SiteResource>('sites', site);
    expect(created.status).toBe(201);
    return created.body.data as SiteResource;
  };

  it('sites are created with defaults, are directly in data, and work at once', async () => {
    const answer = await merchant.post<SiteResource>('sites', SITE);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('etag')).toBe('"1"');
    const site = answer.body.data;
    expect(site).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      workspace_id: merchant.workspaceId,
      ...SITE,
      currency: 'EUR',
      timezone: 'UTC',
      publisher_mode: 'off',
      partner: { ...PARTNER, touch_limit: 20 },
      runtime_hourly_limit: 100_000,
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: site?.created_at,
    });
    const token = await request(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site?.id },
      headers: { origin: 'https://shop.example' },
    });
    expect(token.status).toBe(201);
    expect((await merchant.get(`sites/${site?.id}`)).body.data).toEqual(site);
  });

  it('name every broken rule at once, and unknown fields', async () => {
    const answer = await merchant.post('sites', { name: ' ', allowed_origins: [], colour: 'red' });
    expect([answer.status, answer.body]).toMatchObject([400, VALIDATION]);
    expect(answer.body.error?.details).toEqual({
      name: ['must be a non-empty string of at most 120 characters; got white space'],
      domain: ['must be a host name without scheme, port or path; got nothing'],
      allowed_origins: ['must be an array of 1 to 50 items; got an empty array'],
      colour: ['is not a known field'],
    });
  });

  it('change in the fields of a PATCH; null makes a field absent', async () => {
    const site = await create({ ...SITE, timezone: 'Europe/Berlin' });
    const changed = await merchant.patch(`sites/${site.id}`, { timezone: null, partner: { touch_limit: 3 } });
    expect([changed.status, changed.body.data]).toMatchObject([
      200,
      { timezone: 'UTC', partner: { ...PARTNER, touch_limit: 3 }, name: 'Shop', version: 2 },
    ]);
    const refused = await merchant.patch(`sites/${site.id}`, { name: null, id: site.id });
    expect(refused.body.error?.details).toEqual({
      name: ['must be a non-empty string of at most 120 characters; got nothing'],
      id: ['is not a known field'],
    });
  });

  it('take If-Match: a stale version is 409, a broken one 400', async () => {
    const site = await create();
    const patch = (version: string): Promise<Answer<unknown>> =>
      merchant.patch(`sites/${site.id}`, { name: 'Renamed' }, { 'if-match': version });
    expect((await patch('"1"')).status).toBe(200);
    expect((await patch('"1"')).body.error).toMatchObject({
      code: 'CONFLICT',
      details: { version: ['is stale: the current version is 2'] },
    });
    expect((await patch('*')).status).toBe(200);
    for (const [broken, message] of [
      ...['3', '"0"', '"x"', '"99999999999"'].map((one) => [one, 'must be a version in quotes, such as "3"']),
      ['W/"3"', 'must be a strong tag, such as "3": a weak one may stand for two versions'],
      ['"2", "3"', 'must be the one version that was read, such as "3": a list is not taken'],
    ] as const)
      expect((await patch(String(broken))).body.error?.details).toEqual({ 'If-Match': [message] });
  });

  it('sites are listed newest first, page by page, each once', async () => {
    const lister = await Merchant.join(product);
    const names = Array.from({ length: 7 }, (_, n) => `Site ${n}`);
    for (const name of names) expect((await lister.post('sites', { ...SITE, name })).status).toBe(201);
    const listed: string[] = [];
    let cursor = '';
    do {
      const page = await lister.get<{ items: SiteResource[]; next_cursor: string | null }>(
        `sites?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      listed.push(...(page.body.data?.items ?? []).map((site) => site.name));
      cursor = page.body.data?.next_cursor ?? '';
    } while (cursor !== '');
    expect(listed).toEqual(names.toReversed());
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=abc', 'cursor'],
    [
      `cursor=${btoa(`2026-02-31 00:00:00+00 ${randomUUID()}`).replace(/=+$/, '').replaceAll('+', '-')}`,
      'cursor',
    ],
  ])('refuse the page of %s', async (query, field) => {
    const answer = await merchant.get(`sites?${query}`);
    expect([answer.status, Object.keys(answer.body.error?.details ?? {})]).toEqual([400, [field]]);
  });

  it('lists of sites do not know other query parameters', async () => {
    expect((await merchant.get('sites?page=2')).body.error).toMatchObject({
      code: 'BAD_REQUEST',
      details: { page: ['is not a known query parameter'] },
    });
  });

  it('sites are 404 in another workspace, and wherever the id is none', async () => {
    const { id } = await create();
    for (const answer of [
      await outsider.get(`sites/${id}`),
      await outsider.patch(`sites/${id}`, { name: 'Mine' }),
      await merchant.get(`sites/${randomUUID()}`),
      await merchant.get('sites/not-an-id'),
      await merchant.patch('sites/not-an-id', { name: 'x' }),
    ]) {
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await merchant.get(`sites/${id.toUpperCase()}`)).status).toBe(200);
  });

  describe('under an Idempotency-Key', () => {
    const post = (body: object, key: string, who = merchant): Promise<Answer<SiteResource>> =>
      who.post('sites', body, { 'idempotency-key': key });

    it('sites are created once under an Idempotency-Key: the same request replays the first answer', async () => {
      const key = randomUUID();
      const first = await post(SITE, key);
      const again = await post({ ...SITE, domain: SITE.domain }, key);
      expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(again.body.data).toEqual(first.body.data);
    });

    it('an Idempotency-Key of sites refuses another body, and is another one for other users or workspaces', async () => {
      const key = randomUUID();
      const first = await post(SITE, key);
      expect(await post({ ...SITE, name: 'Other' }, key)).toMatchObject({
        status: 409,
        body: { error: { code: 'CONFLICT' } },
      });
      const theirs = await post(SITE, key, outsider);
      expect(theirs.status).toBe(201);
      expect(theirs.body.data?.id).not.toBe(first.body.data?.id);
    });

    it('keep no refusal', async () => {
      const key = randomUUID();
      expect((await post({ ...SITE, name: '' }, key)).status).toBe(400);
      expect((await post(SITE, key)).status).toBe(201);
    });

    it('sites are made once under an Idempotency-Key by many requests at the same time', async () => {
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 12 }, () => post(SITE, key)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(
        new Set([201, ...answers.map(({ status }) => status).filter((status) => status === 409)]),
      );
      const made = answers.filter(
        ({ headers, status }) => status === 201 && !headers.has('idempotent-replayed'),
      );
      expect(made).toHaveLength(1);
    });

    it('refuse a key that is empty or longer than 255 characters', async () => {
      expect((await post(SITE, 'k'.repeat(255))).status).toBe(201);
      expect((await post(SITE, 'k'.repeat(256))).body.error?.details).toEqual({
        'Idempotency-Key': ['must be given once, with 1 to 255 characters'],
      });
    });

    it('refuse two keys, also when they are equal', async () => {
      const body = JSON.stringify(SITE);
      const { status } = await sendRaw(
        new URL(product.baseUrl).origin,
        [
          'POST /api/v1/sites HTTP/1.1',
          'Host: x',
          `Authorization: Bearer ${merchant.token}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          'Idempotency-Key: a',
          'Idempotency-Key: a',
          '',
          body,
        ].join('\r\n'),
      );
      expect(status).toBe(400);
    });
  });
});
