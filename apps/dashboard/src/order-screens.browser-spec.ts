import { readFile } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListedOrder, OrderResource, SealedRecord } from '@truetally/node';
import { eventually } from '@truetally/testing';
import { plainPurchase } from '@truetally/testing-product';
import type { Locator, Page } from 'playwright-core';
import { checkScreen, countTimes, type OpenedPages, refuse } from './testing/opened-pages.js';
import type { Shop } from './testing/shop.js';
import { shopScreens } from './testing/shop-screens.js';

const WAIT = { timeoutMs: 240_000 };
const HOUR_MS = 3_600_000;
const TOUCH = 'klick-ü';

const screens = shopScreens();
const { visit } = screens;
let shop: Shop;
let pages: OpenedPages;
let page: Page;

beforeAll(async () => {
  ({ shop, pages } = screens);
  const bought = Date.now() - HOUR_MS;
  const at = (minutes: number): string => new Date(bought + minutes * 60_000).toISOString();
  await touch(at(-10));
  await buy('bestellung-ü', at(0), { touch_ids: [TOUCH, 'never-received'] });
  await buy('returned', at(1), { currency: 'IQD' });
  const same = { schema_version: 1, website_id: shop.site.id, order_id: 'returned', currency: 'IQD' };
  const delta = { revenue_delta: '-4.005', commissionable_delta: '-4.005', reason: 'return' };
  const adjustment = { ...same, ...delta, idempotency_key: 'return-1', occurred_at: at(2) };
  await shop.convert({ event_type: 'adjustment', adjustment });
  const rest = { ...same, idempotency_key: 'cancel-1', occurred_at: at(3), reversed_revenue: '15.995' };
  await shop.convert({ event_type: 'cancellation', cancellation: rest });
  await eventually(async () => {
    const path = `partner-attribution/orders?website_id=${shop.site.id}&state=cancelled`;
    return (await shop.read<{ readonly items: readonly ListedOrder[] }>(path))?.items.length === 1;
  }, WAIT);
});

beforeEach(() => {
  ({ page } = screens);
});

async function touch(at: string): Promise<void> {
  const answer = await shop.fromPage(await shop.runtimeToken(), 'partner-attribution/touches', {
    touches: [
      {
        schema_version: 1,
        touch_id: TOUCH,
        provider: 'awin',
        direction: 'inbound',
        provider_click_id: 'click-1',
        landing_path: '/',
        occurred_at: at,
        provenance: 'browser_sdk',
        session_id: 'session-1',
      },
    ],
  });
  expect(answer).toBeDefined();
}

async function buy(orderId: string, occurredAt: string, changes: object): Promise<void> {
  const order = plainPurchase({ siteId: shop.site.id, orderId, occurredAt });
  const { conversion } = order as { readonly conversion: object };
  await shop.convert({ ...order, conversion: { ...conversion, ...changes } });
}

/** Answers of this path pass as somebody between has changed them. */
async function change<T>(path: string, by: (data: T) => T): Promise<void> {
  await page.route(`**${path}**`, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { readonly data: T };
    await route.fulfill({ response, json: { ...answer, data: by(answer.data) } });
  });
}

interface Records {
  readonly items: readonly SealedRecord[];
}

/** Of the first record only, as the list of the whole chain has it. */
function firstChanged({ items, ...rest }: Records, by: (record: SealedRecord) => object): Records {
  return { ...rest, items: items.map((one, place) => (place === 0 ? { ...one, ...by(one) } : one)) };
}

async function verifyOrder(): Promise<Locator> {
  await page.getByRole('button', { name: 'Verify in my browser' }).click();
  return page.getByRole('alert');
}

async function verifyChain(): Promise<void> {
  await page.getByRole('button', { name: 'Verify the chain in my browser' }).click();
}

describe('orders and the ledger in a browser', () => {
  it('the list has what was bought and what remains, its filters stand in the address', async () => {
    await visit('orders');
    const orders = page.getByRole('region', { name: 'orders' });
    await orders.getByText('20.000 IQD').waitFor();
    expect(await orders.getByRole('row').count()).toBe(3);
    await orders.getByRole('link').first().press('ArrowDown');
    expect(
      await orders
        .getByRole('link')
        .nth(1)
        .evaluate((link) => link === document.activeElement),
    ).toBe(true);
    await page.getByLabel('State').selectOption('cancelled');
    await page.getByRole('search').getByRole('button', { name: 'Show' }).click();
    await eventually(async () => (await orders.getByRole('row').count()) === 2, WAIT);
    expect(page.url()).toContain('state=cancelled');
    await page.goBack();
    await eventually(async () => (await orders.getByRole('row').count()) === 3, WAIT);
    await page.getByLabel('Order id begins with').fill('best');
    await page.getByRole('search').getByRole('button', { name: 'Show' }).click();
    await eventually(async () => (await orders.getByRole('row').count()) === 2, WAIT);
    await checkScreen(page, 'Orders');
    await orders.getByRole('link', { name: 'bestellung-ü' }).click();
    await page.getByRole('heading', { name: 'Order bestellung-ü' }).waitFor();
    const place = [await page.title(), await page.locator(':focus').innerText()];
    expect(place).toEqual(['Order bestellung-ü – Truetally', 'Orders']);
    await page.getByRole('link', { name: 'All orders' }).click();
    await orders.waitFor();
    expect(page.url()).toContain('order_id_prefix=best');
  });

  it('an order is a statement whose rest runs along, and is verified in the browser', async () => {
    await visit('orders?order=returned');
    const entries = page.getByRole('region', { name: 'entries' });
    await entries.waitFor();
    const rows = await entries.getByRole('row').allTextContents();
    expect(rows.map((row) => /purchase|adjustment|cancellation/.exec(row)?.[0])).toEqual([
      undefined,
      'purchase',
      'adjustment',
      'cancellation',
    ]);
    expect(rows[2]).toContain('\u22124.005 IQD15.995 IQD');
    expect(rows[3]).toContain('0.000 IQD');
    await verifyOrder();
    await page.getByText('3 records sealed again').waitFor();
    await page.getByText('the provider and partner of a touch', { exact: false }).waitFor();
    await checkScreen(page, 'order verified');
    // One press is enough for an order of several pages, too.
    await page.route('**/partner-attribution/orders/returned**', (route) =>
      route.continue({ url: `${route.request().url()}&limit=1` }),
    );
    await visit('orders?order=returned');
    await page.getByText('Shown entries: 1').waitFor();
    await verifyOrder();
    await page.getByText('3 records sealed again').waitFor();
    await visit(`orders?order=${encodeURIComponent('bestellung-ü')}`);
    expect(await page.getByRole('region', { name: 'touches' }).textContent()).toContain('awin');
    await verifyOrder();
    await page.getByText('Sound.').waitFor();
  });

  it.each<readonly [string, (order: OrderResource) => OrderResource, string]>([
    [
      'an amount',
      ({ entries: [first, ...rest], ...order }) => ({
        ...order,
        entries: [{ ...first, revenue_delta: '20.001' }, ...rest] as OrderResource['entries'],
      }),
      'revenue_delta is shown as "20.001", sealed was "20.000"',
    ],
    [
      'a time',
      ({ entries: [first, ...rest], ...order }) => ({
        ...order,
        entries: [{ ...first, occurred_at: '2026-01-01T00:00:00.000Z' }, ...rest] as OrderResource['entries'],
      }),
      'occurred_at is shown as "2026-01-01T00:00:00.000Z"',
    ],
    ['a state', (order) => ({ ...order, state: 'adjusted' }), 'state is shown as "adjusted"'],
  ])('%s of an order that was changed on the way is named with its place', async (_, by, text) => {
    await change('/partner-attribution/orders/returned', by);
    await visit('orders?order=returned');
    const alert = await verifyOrder();
    await alert.getByText('What is shown is not what was sealed.').waitFor();
    expect(await alert.textContent()).toMatch(/Place \d+: /);
    expect(await alert.textContent()).toContain(text);
  });

  it('a changed record is named with its place, under its order and in the chain', async () => {
    await change<Records>('/partner-attribution/chain/records', (data) =>
      firstChanged(data, ({ fields }) => ({
        fields: fields.map(([name, text]) => [name, name === 'receivable' ? '2001' : text]),
      })),
    );
    await visit(`orders?order=${encodeURIComponent('bestellung-ü')}`);
    const alert = await verifyOrder();
    await alert.getByText('Place 1: its fields and the hash before it do not give its hash').waitFor();
    await visit('chain');
    await verifyChain();
    await page.getByText('The chain is broken after 0 records.').waitFor();
    await page.getByText('Place 1: its fields and the hash before it do not give its hash').waitFor();
  });

  it('a changed hash, and a link to another record, break the chain at their place', async () => {
    const ofSecond = (data: Records, by: object): Records => ({
      ...data,
      items: data.items.map((one) => (one.sequence === '2' ? { ...one, ...by } : one)),
    });
    for (const name of ['hash', 'previous_hash']) {
      await change<Records>('/partner-attribution/chain/records', (data) =>
        ofSecond(data, { [name]: 'a'.repeat(64) }),
      );
      await visit('chain');
      await verifyChain();
      await page.getByText(/^Place 2: /).waitFor();
      await page.unroute('**/partner-attribution/chain/records**');
    }
  });

  it('the whole chain is verified here and by the service, and a kept head is found again', async () => {
    await visit('chain');
    await page.getByText('Not verified yet', { exact: false }).or(page.getByText('sound')).first().waitFor();
    await page.getByRole('button', { name: 'Verify the whole chain now' }).click();
    await page.getByText(/from place 1 to place 4/).waitFor();
    await verifyChain();
    await page.getByText(/4 records, from place 1 to place 4/).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Keep this head' }).click(),
    ]);
    const text = await readFile(await saved.path(), 'utf8');
    const file = (content: string) => ({
      name: 'head.json',
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    });
    const input = page.getByLabel('Check a kept head');
    await input.setInputFiles(file(text));
    await page.getByText('The chain has the kept head at place 4').waitFor();
    await checkScreen(page, 'Ledger');
    const kept = JSON.parse(text) as { readonly website_id: string; readonly hash: string };
    const other = { ...kept, website_id: '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01' };
    await input.setInputFiles(file(JSON.stringify(other)));
    await page.getByText('the kept head is of another chain', { exact: false }).waitFor();
    await input.setInputFiles(file(JSON.stringify({ ...kept, hash: 'b'.repeat(64) })));
    await page.getByText('Place 4: the chain has', { exact: false }).waitFor();
    await input.setInputFiles(file('nothing'));
    await page.getByText('This file is no kept head.').waitFor();
    expect(pages.complaints).toEqual([]);
  });
});

describe('a key in a browser', () => {
  it('a key whose use nobody says is not said to be unused', async () => {
    await refuse(page, '/intake', 500);
    await visit('api-keys');
    await page
      .getByRole('cell', { name: /^not known of / })
      .first()
      .waitFor();
  });
});

describe('a refusal in a browser', () => {
  const said = () => page.getByRole('alert').filter({ hasText: 'Said by the test.' });
  const isInSight = async (): Promise<boolean> => {
    const box = await said().boundingBox();
    return box !== null && box.y >= 0 && box.y < (page.viewportSize()?.height ?? 0);
  };

  it('more of a list that is refused is said where it was asked for, and is tried again there', async () => {
    const lists = [
      ['orders?currency=IQD', 'orders'],
      ['revenue?part=orders_without_event&currency=IQD', 'of them'],
      ['commission-rules', 'rules'],
      ['api-keys', 'keys'],
      ['members', 'members'],
    ] as const;
    const rule = {
      website_id: shop.site.id,
      provider: 'awin',
      type: 'percentage',
      rate: '0.05',
      effective_from: new Date(Date.now() + HOUR_MS).toISOString(),
    };
    await shop.ask('partner-attribution/commission-rules', rule);
    await visit('orders');
    await page.setViewportSize({ width: 390, height: 400 });
    for (const [path, name] of lists) {
      await page.route(/\/api\/v1\/.*(?:orders|items|rules|keys|members)(?:\?|$)/, async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { readonly data: object };
        await route.fulfill({ response, json: { ...answer, data: { ...answer.data, next_cursor: 'more' } } });
      });
      await refuse(page, 'cursor=more', 500);
      await visit(path);
      await page.getByRole('button', { name: 'More' }).click();
      await page.locator(`[aria-label="${name}"] ~ [role="alert"]`).waitFor();
      expect([name, await isInSight()]).toEqual([name, true]);
      await page.unrouteAll();
      const list = page.getByRole('region', { name, exact: true });
      expect(await list.getByRole('row').count()).toBeGreaterThan(1);
      await page.route(/cursor=more/, async (route) => {
        const response = await route.fetch({ url: route.request().url().replace('cursor=more', '') });
        const answer = (await response.json()) as object;
        await route.fulfill({ response, json: { ...answer, data: { items: [], next_cursor: null } } });
      });
      const drawn = await countTimes(page);
      await page.getByRole('button', { name: 'More' }).press('Enter');
      await page.getByText(`These are all ${name}.`).waitFor();
      expect(await page.locator(':focus').innerText()).toBe(`These are all ${name}.`);
      // Thousands of rows that were there would take seconds to draw again.
      if (/orders|of them/.test(name)) expect(await drawn.evaluate(({ times }) => times)).toBe(0);
      await page.unrouteAll();
    }
  });

  it('what a long form is refused for is in sight and has the focus, though its button is far below', async () => {
    await visit('campaigns/new');
    await page.getByLabel('Name', { exact: true }).fill('Refused');
    await refuse(page, '/campaigns', 409, { campaigns: ['must not be more than 9'] });
    await page.getByRole('button', { name: 'Add the campaign' }).click();
    await said().waitFor();
    await eventually(isInSight, WAIT);
    expect(await page.getByText('must not be more than 9').count()).toBe(1);
    expect(await said().evaluate((alert) => alert.parentElement === document.activeElement)).toBe(true);
  });
});
