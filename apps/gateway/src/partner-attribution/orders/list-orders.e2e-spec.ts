import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ListedOrder, OrderResource } from '@truetally/contracts/attribution';
import { formatMinor, minorDigitsOf, parseDecimal, toMinor } from '@truetally/kernel';
import { eventually } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { LedgerShop } from '../../testing/ledger-shop.js';
import { Merchant } from '../../testing/merchant.js';

describe('interface page, section 6: GET /partner-attribution/orders', () => {
  let product: Product;
  let shop: LedgerShop;

  beforeAll(async () => {
    product = await sharedProduct();
    shop = await LedgerShop.open(product, { timezone: 'America/New_York' });
    await fill(shop);
  });

  afterAll(() => product.stop());

  const ids = async (query: Record<string, string>): Promise<string[]> =>
    (await shop.items<ListedOrder>('orders', query)).map(({ order_id }) => order_id);

  it('a listed order says what the order itself says, for every state, currency and partner', async () => {
    const listed = await shop.items<ListedOrder>('orders');
    expect(listed).toHaveLength(ALL_NEWEST_FIRST.length);
    for (const item of listed) expect(item).toEqual(listedFrom(await shop.order(item.order_id)));
    const shared = listed.find(({ order_id }) => order_id === 'shared');
    expect(shared).toMatchObject({
      revenue: '31.87',
      remaining_revenue: '26.37',
      entry_count: 2,
      partners: [
        { provider: 'awin', partner_id: 'ann', share: '0.59' },
        { provider: 'cj', partner_id: null, share: '0.58' },
      ],
      commission: '1.17',
    });
  });

  it('orders are listed newest first by the time of purchase, then by order id, in pages of any size', async () => {
    for (const limit of ['1', '2', '3', '200']) expect(await ids({ limit })).toEqual(ALL_NEWEST_FIRST);
  });

  it('an order is in the list as soon as its 201 was answered, with what remains after each entry', async () => {
    const own = await LedgerShop.open(product);
    const remaining = async (): Promise<(string | undefined)[]> =>
      (await own.items<ListedOrder>('orders')).map(({ remaining_revenue }) => remaining_revenue);
    await own.record(own.bodies.purchase('fast'));
    expect(await remaining()).toEqual(['31.87']);
    await own.record(own.bodies.adjustment('fast', 2));
    expect(await remaining()).toEqual(['26.37']);
    await own.record(own.bodies.cancellation('fast', 3));
    expect(await remaining()).toEqual(['0.00']);
  });

  it.each<[Record<string, string>, readonly string[]]>([
    [{ state: 'recorded' }, ['späť-2', 'späť-1', 'dinar', 'yen', 'prefix-b', 'prefix-a']],
    [{ state: 'adjusted' }, ['shared']],
    [{ state: 'cancelled' }, ['cancelled']],
    [{ currency: 'JPY' }, ['yen']],
    [{ currency: 'JPY', state: 'cancelled' }, []],
    [{ currency: 'USD' }, []],
    [{ order_id_prefix: 'prefix' }, ['prefix-a', 'prefix-b']],
    [{ order_id_prefix: 'spä' }, ['späť-1', 'späť-2']],
    [{ order_id_prefix: 'spä', to: '2026-03-29T05:00:00.001Z' }, ['späť-1']],
    [{ order_id_prefix: 'none' }, []],
    [{ touch_id: 'touch-ann' }, ['shared', 'cancelled']],
    [{ touch_id: 'touch-ann', state: 'cancelled' }, ['cancelled']],
    [{ touch_id: 'touch-nobody-sent' }, ['prefix-a']],
    [{ touch_id: 'none' }, []],
    [{ provider: 'cj' }, ['shared']],
    [{ provider: 'awin' }, ['shared', 'cancelled']],
    [{ provider: 'awin', partner_id: 'ann' }, ['shared', 'cancelled']],
    [{ provider: 'awin', partner_id: 'ann', currency: 'EUR', from: '2026-01-03' }, ['shared']],
    [{ provider: 'awin', partner_id: 'bob' }, []],
    // The days of New York: 29 March begins at 04:00 UTC, three weeks after its clocks have changed.
    [{ from: '2026-03-29', to: '2026-03-30' }, ['späť-2', 'späť-1']],
    [{ from: '2026-03-29T05:00:00.001Z' }, ['späť-2']],
    [{ from: '2026-03-29T07:00:00.001+02:00' }, ['späť-2']],
    [{ to: '2026-01-01T09:30:00Z' }, []],
    [{ to: '2026-01-01T09:30:00.000001Z' }, ['prefix-a']],
  ])('%j lists %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
    expect(await ids({ ...query, limit: '1' })).toEqual(expected);
  });

  it('a partner whose share ends with a change of the model is no longer found by it', async () => {
    const own = await LedgerShop.open(product);
    const owner = { authorization: `Bearer ${await ownerToken(own)}` };
    for (const provider of ['awin', 'cj']) await own.rule(provider, '0.1');
    await own.touch('first', { provider: 'awin', partner_id: 'ann' });
    const later = '2025-12-31T10:30:00.000Z';
    await own.touch('last', { provider: 'cj', partner_id: 'bob', occurred_at: later });
    await own.record(own.bodies.purchase('moved', { touch_ids: ['first', 'last'] }));
    const found = async (provider: string): Promise<number> =>
      (await own.items('orders', { provider })).length;
    expect([await found('awin'), await found('cj')]).toEqual([1, 1]);
    const patched = await fetch(`${product.baseUrl}/sites/${own.site.id}`, {
      method: 'PATCH',
      headers: { ...owner, 'content-type': 'application/json' },
      body: JSON.stringify({ partner: { attribution_model: 'last_touch' } }),
    });
    expect(patched.status).toBe(200);
    await own.record(own.bodies.adjustment('moved', 2));
    expect([await found('awin'), await found('cj')]).toEqual([0, 1]);
    expect(await own.items('orders', { touch_id: 'first' })).toHaveLength(1);
  });

  it('every broken rule of the query is 400 and named', async () => {
    const refused = async (query: Record<string, string>): Promise<unknown> => {
      const { status, body } = await shop.get('orders', query);
      return [status, body.error?.code, Object.keys(body.error?.details ?? {}).sort()];
    };
    const broken: readonly [Record<string, string>, readonly string[]][] = [
      [{ state: 'open', currency: 'XXX', limit: '201' }, ['currency', 'limit', 'state']],
      [{ from: 'yesterday', to: '2026-02-30' }, ['from', 'to']],
      [{ from: '2026-03-29', to: '2026-03-29' }, ['to']],
      [{ from: '2026-03-29T04:00:00Z', to: '2026-03-29' }, ['to']],
      [{ order_id_prefix: 'ab' }, ['order_id_prefix']],
      [{ order_id_prefix: 'x'.repeat(129) }, ['order_id_prefix']],
      [{ order_id_prefix: 'a\0bc' }, ['order_id_prefix']],
      [{ partner_id: 'ann' }, ['partner_id']],
      [{ provider: 'Not A Slug' }, ['provider']],
      [{ touch_id: '' }, ['touch_id']],
      [{ touch_id: 't', provider: 'awin' }, ['provider', 'touch_id']],
      [{ order_id_prefix: 'abc', provider: 'awin', partner_id: 'ann' }, ['order_id_prefix', 'provider']],
      [{ order_id_prefix: 'abc', touch_id: 't' }, ['order_id_prefix', 'touch_id']],
      [{ website_id: 'x', state: 'open' }, ['state', 'website_id']],
      [{ cursor: 'nonsense' }, ['cursor']],
      [{ cursor: '7f6e4b0a-52f7-4a86-9f3e-0123456789ab' }, ['cursor']],
    ];
    for (const [query, names] of broken)
      expect(await refused(query)).toEqual([400, 'VALIDATION_ERROR', names]);
    expect(await refused({ offset: '1' })).toEqual([400, 'BAD_REQUEST', ['offset']]);
  });

  it('a cursor of another site is refused', async () => {
    const [{ conversion_id: cursor } = { conversion_id: '' }] = await shop.items<ListedOrder>('orders');
    const other = await LedgerShop.open(product);
    expect((await other.get('orders', { cursor })).status).toBe(400);
  });

  it('the list is for keys with partner_attribution:read of this site, and for members', async () => {
    const { key: converter } = await product.createApiKey(shop.site, {
      scopes: ['partner_attribution:convert'],
    });
    const other = await LedgerShop.open(product);
    const outsider = await Merchant.join(product);
    const answers = await Promise.all([
      shop.get('orders'),
      shop.get('orders', {}, { 'x-api-key': converter }),
      shop.get('orders', {}, { 'x-api-key': other.key }),
      shop.get('orders', {}, { authorization: `Bearer ${await ownerToken(shop)}` }),
      shop.get('orders', {}, { authorization: `Bearer ${outsider.token}` }),
      shop.get('orders', {}, {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 200, 404, 401]);
  });

  async function ownerToken({ site }: LedgerShop): Promise<string> {
    const sub = `reader-${site.id}`;
    await product.asks.addMember({ workspace_id: site.workspace_id, sub, role: 'owner' });
    const token = await product.idToken({ sub });
    const headers = { authorization: `Bearer ${token}` };
    await eventually(
      async () => (await fetch(`${product.baseUrl}/sites/${site.id}`, { headers })).status === 200,
    );
    return token;
  }
});

const ALL_NEWEST_FIRST = ['späť-2', 'späť-1', 'shared', 'dinar', 'yen', 'cancelled', 'prefix-b', 'prefix-a'];

async function fill(shop: LedgerShop): Promise<void> {
  const { bodies } = shop;
  for (const provider of ['awin', 'cj']) await shop.rule(provider, '0.0649');
  await shop.touch('touch-ann', { provider: 'awin', partner_id: 'ann' });
  await shop.touch('touch-cj', { provider: 'cj', partner_id: null });
  await shop.touch('touch-out', { provider: 'awin', partner_id: 'bob', direction: 'outbound' });
  const at = (occurred_at: string, more: object = {}) => ({ occurred_at, ...more });
  const [NOON, EARLIER] = ['2026-01-05T12:00:00Z', '2026-01-04T12:00:00Z'];
  await shop.record(bodies.purchase('prefix-a', { touch_ids: ['touch-nobody-sent', 'touch-out'] }));
  await shop.record(bodies.purchase('prefix-b', at('2026-01-01T09:30:00.000001Z')));
  const toCancel = at('2026-01-02T09:30:00Z', { touch_ids: ['touch-ann'] });
  await shop.record(bodies.simplePurchase('cancelled', '26.37', toCancel));
  await shop.record(bodies.cancellation('cancelled', 3));
  await shop.record(bodies.simplePurchase('yen', '1500', at(EARLIER, { currency: 'JPY' })));
  await shop.record(bodies.simplePurchase('dinar', '1.5', at(NOON, { currency: 'KWD' })));
  const touches = { touch_ids: ['touch-ann', 'touch-cj', 'touch-out'] };
  await shop.record(bodies.purchase('shared', at('2026-01-05T12:00:00.000001Z', touches)));
  await shop.record(bodies.adjustment('shared', 6));
  await shop.record(bodies.simplePurchase('späť-1', '1', at('2026-03-29T05:00:00Z')));
  await shop.record(bodies.simplePurchase('späť-2', '1', at('2026-03-29T05:00:00.001Z')));
}

/** What the list must show, worked out from the order's own answer. */
function listedFrom(order: OrderResource): ListedOrder {
  const [purchase] = order.entries;
  if (purchase === undefined) throw new Error('An order has a purchase.');
  const digits = minorDigitsOf(order.currency) ?? 0;
  const partners = new Map<string, bigint>();
  for (const { touch_id, outcome, share } of order.attribution) {
    const touch = order.matched_touches.find((one) => one.touch_id === touch_id);
    if (outcome !== 'attributed' || touch === undefined) continue;
    const name = JSON.stringify([touch.provider, touch.partner_id]);
    const decimal = parseDecimal(share);
    if (decimal === undefined) throw new Error('A share is an amount.');
    partners.set(name, (partners.get(name) ?? 0n) + (toMinor(decimal, digits) ?? 0n));
  }
  const changes = [...order.entries, ...order.commission_entries].map(({ recorded_at }) => recorded_at);
  return {
    order_id: order.order_id,
    conversion_id: order.conversion_id,
    currency: order.currency,
    state: order.state,
    occurred_at: purchase.occurred_at,
    recorded_at: purchase.recorded_at,
    changed_at: changes.sort().at(-1) ?? '',
    revenue: purchase.revenue_delta,
    remaining_revenue: order.remaining_revenue,
    remaining_commissionable: order.remaining_commissionable,
    commission: order.commission,
    entry_count: order.entries.length,
    partners: [...partners].map(([name, minor]) => {
      const [provider, partner_id] = JSON.parse(name) as [string, string | null];
      return { provider, partner_id, share: formatMinor(minor, order.currency) };
    }),
  };
}
