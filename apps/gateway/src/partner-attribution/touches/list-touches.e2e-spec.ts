import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TouchResource, TouchVerdict } from '@truetally/contracts/attribution';
import type { Page as PageOf } from '@truetally/contracts/resource';
import { request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { ORIGIN, Page, touch } from '../../testing/touch-page.js';

describe('interface page, section 6: GET /partner-attribution/touches', () => {
  let product: Product;
  let page: Page;
  let reader: string;

  beforeAll(async () => {
    product = await sharedProduct();
    page = await Page.open(product);
    reader = (await product.createApiKey(page.site, { scopes: ['partner_attribution:read'] })).key;
  });

  afterAll(() => product.stop());

  function list(query: string, headers: Record<string, string> = { 'x-api-key': reader }) {
    return request<PageOf<TouchResource>>(`${product.baseUrl}/partner-attribution/touches${query}`, {
      headers,
    });
  }

  it('lists recorded touches in pages, newest first, with every field but the click value', async () => {
    const own = await Page.open(product);
    const { key } = await product.createApiKey(own.site, { scopes: ['partner_attribution:read'] });
    const sent = Array.from({ length: 5 }, (_, n) => touch({ provider_click_id: `secret-click-${n}` }));
    const recorded: (TouchVerdict | undefined)[] = [];
    for (const one of sent) recorded.push((await own.post([one])).body.data?.touches[0]);
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const listed = await list(`?website_id=${own.site.id}&limit=2${after}`, { 'x-api-key': key });
      expect(listed.status).toBe(200);
      expect(listed.text).not.toContain('secret-click');
      seen.push(...(listed.body.data?.items ?? []));
      cursor = listed.body.data?.next_cursor ?? null;
    }
    const expected = sent.map((one, n) => {
      const { schema_version, provider_click_id, ...fields } = one;
      expect([schema_version, provider_click_id]).toEqual([1, `secret-click-${n}`]);
      return { ...fields, id: recorded[n]?.id, recorded_at: recorded[n]?.recorded_at };
    });
    expect(seen).toEqual(expected.reverse());
  });

  it('reports all errors of the query at once', async () => {
    const wrong = await list('?limit=0&cursor=x&cursor=y');
    expect(wrong.status).toBe(400);
    expect(wrong.body.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: {
        website_id: ['is required'],
        limit: [expect.stringContaining('must be a whole number from 1 to 200; got')],
        cursor: ['must be given once'],
      },
    });
    const notOurs = await list(`?website_id=${page.site.id}&cursor=nonsense`);
    expect([notOurs.status, Object.keys(notOurs.body.error?.details ?? {})]).toEqual([400, ['cursor']]);
    const unknown = await list(`?website_id=${page.site.id}&page=2`);
    expect([unknown.status, unknown.body.error?.code]).toEqual([400, 'BAD_REQUEST']);
    expect(unknown.headers.get('x-ratelimit-limit')).not.toBeNull();
  });

  it('the list of touches is for keys with partner_attribution:read of this site', async () => {
    const { key: other } = await product.createApiKey(page.site, { scopes: ['partner_attribution:convert'] });
    const elsewhere = await product.createSite({ allowed_origins: [ORIGIN] });
    const statuses = await Promise.all([
      list(`?website_id=${page.site.id}`),
      list(`?website_id=${page.site.id.toUpperCase()}`),
      list(`?website_id=${elsewhere.id}`),
      list(`?website_id=${page.site.id}`, { 'x-api-key': other }),
      list(`?website_id=${page.site.id}`, { authorization: `Bearer ${page.token}`, origin: ORIGIN }),
      list(`?website_id=${page.site.id}`, {}),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 403, 403, 401, 401]);
  });
});
