import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { CommissionRuleResource, OrderResource } from '@truetally/contracts/attribution';
import type { ApiKeyResource, AuditEntryResource, SiteResource } from '@truetally/contracts/management';
import type { Page } from '@truetally/contracts/resource';
import { type Answer, eventually, request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { conversionsOf } from '../../testing/conversions.js';
import { Merchant } from '../../testing/merchant.js';
import { BASE_TOUCH } from '../../testing/touch-page.js';

const ORIGIN = 'https://shop.example';
const SCOPES = ['partner_attribution:convert', 'partner_attribution:read'] as const;

type MintedKey = ApiKeyResource & { readonly key: string };

interface Shop {
  readonly site: SiteResource;
  readonly key: string;
  readonly token: string;
}

describe('interface page, sections 6 and 7: commission rules and their commissions', () => {
  let product: Product;
  let shop: Shop;

  beforeAll(async () => {
    product = await sharedProduct();
    shop = await newShop();
  });

  afterAll(() => product.stop());

  async function newShop(): Promise<Shop> {
    const site = await product.createSite({ allowed_origins: [ORIGIN] });
    const { key } = await product.createApiKey(site, { scopes: SCOPES });
    return { site, key, token: await tokenOf(site) };
  }

  async function tokenOf(site: SiteResource): Promise<string> {
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site.id },
      headers: { origin: ORIGIN },
    });
    return String(issued.body.data?.token);
  }

  const url = (path: string): string => `${product.baseUrl}/partner-attribution/${path}`;
  const create = ({ site, key }: Shop, changes: object = {}): Promise<Answer<CommissionRuleResource>> =>
    request(url('commission-rules'), {
      json: {
        website_id: site.id,
        provider: 'awin',
        type: 'percentage',
        rate: '0.05',
        effective_from: '2025-01-01T00:00:00Z',
        ...changes,
      },
      headers: { 'x-api-key': key },
    });
  const list = ({ site, key }: Shop, query = ''): Promise<Answer<Page<CommissionRuleResource>>> =>
    request(url(`commission-rules?website_id=${site.id}${query}`), { headers: { 'x-api-key': key } });
  const convert = ({ key }: Shop, json: unknown): Promise<Answer<unknown>> =>
    request(url('conversions'), { json, headers: { 'x-api-key': key } });
  const touch = ({ token }: Shop, changes: object): Promise<Answer<unknown>> =>
    request(url('touches'), {
      json: { touches: [{ ...BASE_TOUCH, occurred_at: '2025-12-31T00:00:00Z', ...changes }] },
      headers: { authorization: `Bearer ${token}`, origin: ORIGIN },
    });

  const reasonsOf = (order: OrderResource): readonly string[] =>
    order.attribution.map(({ reason }) => reason);

  async function orderOf({ site, key }: Shop, orderId: string): Promise<OrderResource> {
    const { body } = await request<OrderResource>(url(`orders/${orderId}?website_id=${site.id}`), {
      headers: { 'x-api-key': key },
    });
    if (body.data === undefined) throw new Error('The order was not read.');
    return body.data;
  }

  it('a rule is created once: 201, then 200 in any spelling, and 409 with other terms', async () => {
    const one = await newShop();
    const first = await create(one);
    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      id: expect.any(String),
      website_id: one.site.id,
      provider: 'awin',
      partner_id: null,
      type: 'percentage',
      rate: '0.05',
      amount: null,
      currency: null,
      effective_from: '2025-01-01T00:00:00.000Z',
      created_at: expect.any(String),
    });
    const again = await create(one, { rate: 0.05, effective_from: '2025-01-01T01:00:00+01:00' });
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    const other = await create(one, { rate: '0.06' });
    expect([other.status, other.body.error?.code]).toEqual([409, 'CONFLICT']);
    expect(Object.keys(other.body.error?.details ?? {})).toEqual(['effective_from']);
  });

  it('a new rule is in the audit log of its workspace: its user, and none of its fields', async () => {
    const owner = await Merchant.join(product);
    const fields = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN] };
    const site = (await owner.post<SiteResource>('sites', fields)).body.data;
    if (site === undefined) throw new Error('The site was not made.');
    const scopes = ['partner_attribution:convert'];
    const minted = await owner.post<MintedKey>(`sites/${site.id}/api-keys`, { name: 'Backend', scopes });
    const rule = (effective_from: string) => ({
      website_id: site.id,
      provider: 'awin',
      type: 'percentage',
      rate: '0.05',
      effective_from,
    });
    const send = (json: object, headers: Record<string, string>) =>
      request<CommissionRuleResource>(url('commission-rules'), { json, headers });
    const byKey = { 'x-api-key': minted.body.data?.key ?? '' };
    const asOwner = { authorization: `Bearer ${owner.token}` };
    const first = await send(rule('2025-01-01T00:00:00Z'), byKey);
    const second = await send(rule('2025-02-01T00:00:00Z'), asOwner);
    // A repeated rule and a refused one are no changes.
    expect((await send(rule('2025-01-01T00:00:00Z'), asOwner)).status).toBe(200);
    expect((await send({ ...rule('2025-01-01T00:00:00Z'), rate: '0.06' }, asOwner)).status).toBe(409);
    const read = async (query: string) =>
      (await owner.get<{ items: readonly AuditEntryResource[] }>(`audit-log?${query}`)).body.data?.items ??
      [];
    await eventually(async () => (await read('resource=commission_rule')).length === 2);
    expect(await read('resource=commission_rule')).toEqual([
      {
        id: expect.any(String),
        at: second.body.data?.created_at,
        actor: owner.sub,
        action: 'create',
        resource: 'commission_rule',
        resource_id: second.body.data?.id,
      },
      expect.objectContaining({
        actor: `key:${minted.body.data?.prefix}`,
        resource_id: first.body.data?.id,
      }),
    ]);
    expect(await read(`resource_id=${first.body.data?.id}`)).toHaveLength(1);
    const stranger = await Merchant.join(product);
    const theirs = await stranger.get<{ items: readonly unknown[] }>('audit-log?resource=commission_rule');
    expect(theirs.body.data?.items).toEqual([]);
  });

  it('rules are listed by pages, the latest effective_from first', async () => {
    const one = await newShop();
    for (const year of [2023, 2025, 2024]) {
      const fixed = { type: 'fixed', rate: null, amount: 2.5, currency: 'EUR', partner_id: 'p-1' };
      const effective_from = `${year}-01-01T00:00:00Z`;
      expect((await create(one, { ...fixed, effective_from })).body.data?.amount).toBe('2.50');
    }
    const first = (await list(one, '&limit=2')).body.data;
    const second = (await list(one, `&limit=2&cursor=${encodeURIComponent(first?.next_cursor ?? '')}`)).body
      .data;
    const years = [...(first?.items ?? []), ...(second?.items ?? [])].map(({ effective_from }) =>
      effective_from.slice(0, 4),
    );
    expect([years, second?.next_cursor]).toEqual([['2025', '2024', '2023'], null]);
    const bad = await list(one, '&cursor=nonsense&limit=0');
    expect([bad.status, bad.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('5 % of 0.30, reversed in three parts of 0.10, is 0.02 and back to nothing', async () => {
    await create(shop);
    const touchId = randomUUID();
    await touch(shop, { touch_id: touchId });
    const orderId = randomUUID();
    const { simplePurchase, adjustment } = conversionsOf(shop.site.id);
    await convert(shop, simplePurchase(orderId, '0.30', { touch_ids: [touchId] }));
    const commissions = [(await orderOf(shop, orderId)).commission];
    for (const day of [2, 3, 4]) {
      const part = { revenue_delta: '-0.10', commissionable_delta: '-0.10' };
      expect((await convert(shop, adjustment(orderId, day, part))).status).toBe(201);
      commissions.push((await orderOf(shop, orderId)).commission);
    }
    // 0.015, 0.010, 0.005 and nothing, each rounded half to even: 0.02, 0.01, 0.00, 0.00.
    expect(commissions).toEqual(['0.02', '0.01', '0.00', '0.00']);
    const order = await orderOf(shop, orderId);
    expect(order.entries.map(({ commission_delta }) => commission_delta)).toEqual([
      '0.02',
      '-0.01',
      '-0.01',
      '0.00',
    ]);
    expect(order.matched_touches.map(({ touch_id }) => touch_id)).toEqual([touchId]);
  });

  it('a touch that arrives after the purchase is matched, and its commission is an entry of its own', async () => {
    await create(shop);
    const touchId = randomUUID();
    const orderId = randomUUID();
    await convert(
      shop,
      conversionsOf(shop.site.id).simplePurchase(orderId, '100.00', { touch_ids: [touchId] }),
    );
    const before = await orderOf(shop, orderId);
    expect([before.commission, before.unmatched_touch_ids]).toEqual(['0.00', [touchId]]);
    await touch(shop, { touch_id: touchId });
    await eventually(async () => (await orderOf(shop, orderId)).commission === '5.00');
    const after = await orderOf(shop, orderId);
    expect(after.commission_entries.map(({ commission_delta }) => commission_delta)).toEqual(['5.00']);
    expect(after.entries).toEqual(before.entries);
    expect(after.unmatched_touch_ids).toEqual([]);
  });

  it('a change of the site’s model holds for the purchase right after its answer, and older entries keep theirs', async () => {
    const owner = await Merchant.join(product);
    const partner = { providers: ['awin'], attribution_model: 'last_touch', lookback_days: 30 };
    const fields = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN], partner };
    const site = (await owner.post<SiteResource>('sites', fields)).body.data;
    if (site === undefined) throw new Error('The site was not made.');
    const { key } = await product.createApiKey(site, { scopes: SCOPES });
    const one = { site, key, token: await tokenOf(site) };
    await create(one);
    const touches = [
      ['first', '2025-12-10T00:00:00Z'],
      ['last', '2025-12-31T00:00:00Z'],
      ['too old', '2025-12-02T09:29:59.999Z'],
    ];
    for (const [touch_id, occurred_at] of touches) await touch(one, { touch_id, occurred_at });
    const touch_ids = touches.map(([id]) => id);
    const sell = async (partnerNow: object, orderId: string) => {
      const changed = await owner.patch(`sites/${site.id}`, { partner: partnerNow });
      expect(changed.status).toBe(200);
      const body = conversionsOf(site.id).simplePurchase(orderId, '100.00', { touch_ids });
      expect((await convert(one, body)).status).toBe(201);
      return reasonsOf(await orderOf(one, orderId));
    };
    expect(await sell({}, 'a')).toEqual(['other_touch_wins', 'last_touch', 'outside_lookback']);
    const first = { attribution_model: 'first_touch', lookback_days: null };
    expect(await sell(first, 'b')).toEqual(['other_touch_wins', 'other_touch_wins', 'first_touch']);
    expect(await sell({ lookback_days: 23 }, 'c')).toEqual([
      'first_touch',
      'other_touch_wins',
      'outside_lookback',
    ]);
    const linear = { attribution_model: 'linear', lookback_days: null };
    expect(await sell(linear, 'd')).toEqual(['shared_equally', 'shared_equally', 'shared_equally']);
    // A change applies to later orders; earlier records keep their result and their model.
    await convert(one, conversionsOf(site.id).adjustment('a', 2, {}));
    const order = await orderOf(one, 'a');
    expect(reasonsOf(order)).toEqual(['shared_equally', 'shared_equally', 'shared_equally']);
    expect(order.entries.map((entry) => [entry.attribution_model, entry.lookback_days])).toEqual([
      ['last_touch', 30],
      ['linear', null],
    ]);
    const deltas = order.entries.map(({ commission_delta }) => Number(commission_delta));
    expect(deltas.reduce((sum, delta) => sum + delta, 0)).toBeCloseTo(Number(order.commission), 10);
  });

  it('an order explains each attribution, also those refused; shares sum to the commission', async () => {
    const one = await newShop();
    await create(one);
    await create(one, { partner_id: 'p-fixed', type: 'fixed', rate: null, amount: '3.33', currency: 'EUR' });
    await create(one, { partner_id: 'p-yen', type: 'fixed', rate: null, amount: 300, currency: 'JPY' });
    const touches = {
      percentage: { partner_id: 'p-1' },
      fixed: { partner_id: 'p-fixed' },
      outbound: { direction: 'outbound' },
      'after purchase': { occurred_at: '2026-01-01T09:30:00.001Z' },
      'no rule': { provider: 'cj' },
      'other currency': { partner_id: 'p-yen' },
    };
    const ids = Object.keys(touches).map((name) => `${name} ${randomUUID()}`);
    for (const [index, changes] of Object.values(touches).entries()) {
      expect((await touch(one, { touch_id: ids[index], ...changes })).status).toBe(201);
    }
    const orderId = randomUUID();
    const body = conversionsOf(one.site.id).simplePurchase(orderId, '33.33', {
      touch_ids: [...ids, 'never seen'],
    });
    expect((await convert(one, body)).status).toBe(201);
    const order = await orderOf(one, orderId);
    // (5 % of 33.33 + 3.33) / 2 = 2.49825
    expect(order.commission).toBe('2.50');
    expect(order.attribution.map(({ outcome, reason, share }) => [outcome, reason, share])).toEqual([
      ['attributed', 'shared_equally', '0.83'],
      ['attributed', 'shared_equally', '1.67'],
      ['refused', 'outbound_touch', '0.00'],
      ['refused', 'after_purchase', '0.00'],
      ['refused', 'no_commission_rule', '0.00'],
      ['refused', 'other_currency', '0.00'],
      ['unmatched', 'unknown_touch', '0.00'],
    ]);
    expect(order.attribution.map(({ touch_id }) => touch_id)).toEqual([...ids, 'never seen']);
  });
});
