import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Trail } from '@truetally/contracts/events';
import { eventually } from '@truetally/testing';
import { plainPurchase } from '@truetally/testing-product';
import type { Locator, Page } from 'playwright-core';
import { checkScreen, loseAnswer, type OpenedPages, quiet, refuse } from './testing/opened-pages.js';
import type { Shop } from './testing/shop.js';
import { shopScreens } from './testing/shop-screens.js';

/** Clocks in Berlin went forward on the 29th; three days before it have one event. */
const DAYS = 'from=2026-03-28&to=2026-03-31';
/** With as many days before, which the screens compare. */
const BOTH_TIMES = 'from=2026-03-25&to=2026-03-31';
const WAIT = { timeoutMs: 240_000 };

interface Revenue {
  readonly currencies: readonly { readonly authoritative: { readonly orders: number } }[];
}

const screens = shopScreens();
const { visit } = screens;
let shop: Shop;
let pages: OpenedPages;
let page: Page;

beforeAll(async () => {
  ({ shop, pages } = screens);
  const purchase = { order_id: 'order-1', total_amount: 25.5, currency: 'EUR' };
  await shop.send([
    { type: 'page_view', session: 'before', at: '2026-03-26T10:00:00Z' },
    { type: 'page_view', session: 'a', at: '2026-03-29T00:30:00Z' },
    { type: 'page_view', session: 'a', at: '2026-03-29T01:30:00Z' },
    { type: 'purchase', session: 'a', at: '2026-03-29T01:40:00Z', properties: purchase },
    { type: 'purchase', session: 'a', at: '2026-03-29T01:50:00Z', properties: purchase },
    { type: 'page_view', session: 'b', at: '2026-03-30T08:00:00Z' },
    {
      type: 'search',
      session: 'hostile',
      at: '2026-03-30T09:00:00Z',
      properties: { query: '<img src=x onerror=alert(1)></script>' },
    },
  ]);
  for (const orderId of ['order-1', 'order-2']) {
    await shop.convert(plainPurchase({ siteId: shop.site.id, orderId, occurredAt: '2026-03-29T02:00:00Z' }));
  }
  await eventually(async () => {
    const query = `site_id=${shop.site.id}&${BOTH_TIMES}`;
    const revenue = await shop.read<Revenue>(`analytics/revenue?${query}`);
    const overview = await shop.read<{ readonly events: number }>(`analytics/overview?${query}`);
    return revenue?.currencies[0]?.authoritative.orders === 2 && overview?.events === 7;
  }, WAIT);
});

beforeEach(() => {
  ({ page } = screens);
});

/** The cells of a row, which its first text names. */
async function rowOf(table: Locator, name: string): Promise<readonly string[]> {
  const row = table.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) });
  return row.getByRole('cell').allTextContents();
}

describe('screens of traffic and revenue in a browser', () => {
  it('the overview has both times, their change, and a chart whose table sums to the total', async () => {
    await visit(`overview?${DAYS}`);
    const totals = page.getByRole('region', { name: 'totals' });
    expect(await rowOf(totals, 'Events')).toEqual(['Events', '6', '1', '+5 (+500\u00a0%)']);
    expect(await rowOf(totals, 'Revenue by events, EUR')).toEqual([
      'Revenue by events, EUR',
      '51.00 EUR',
      'none',
      '+51.00 EUR',
    ]);
    expect(await rowOf(totals, 'Revenue by orders, EUR')).toEqual([
      'Revenue by orders, EUR',
      '40.00 EUR',
      'none',
      '+40.00 EUR',
    ]);
    await page.getByText('Sum of the types in these days: 6 events.').waitFor();
    await checkScreen(page, 'Overview');
    await page.setViewportSize({ width: 390, height: 800 });
    // Nothing of it is out of sight on a narrow screen.
    expect(await totals.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    const chart = page.getByRole('figure', { name: 'Events per day.' });
    await chart.getByRole('slider').press('ArrowRight');
    await chart.getByRole('slider').press('ArrowRight');
    expect(await chart.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /^2026-03-29: These days 4/,
    );
    await chart.getByRole('slider').press('End');
    expect(await chart.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /^2026-03-30: These days 2/,
    );
    await chart.getByRole('slider').press('Home');
    expect(await chart.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /^2026-03-28: These days 0/,
    );
    // Also on paper, where the page may end behind the lines.
    expect(await chart.getByRole('listitem').allTextContents()).toEqual([
      ' These days',
      ' As many days before',
    ]);
    await chart.getByRole('button', { name: 'Table' }).click();
    const days = await chart.getByRole('row').allTextContents();
    expect(days).toEqual([
      'Day (Europe/Berlin)These daysAs many days before',
      '2026-03-2800',
      '2026-03-2941',
      '2026-03-3020',
    ]);
    const last = page.getByLabel('Last day');
    await last.fill('2026-03-27');
    await page.getByRole('button', { name: 'Show' }).first().click();
    expect(await last.evaluate((field) => (field as HTMLInputElement).validationMessage)).toBe(
      'The last day is before the first one.',
    );
    expect(pages.complaints).toEqual([]);
  });

  it('a panel of the overview that fails leaves the others, and is tried again', async () => {
    await refuse(page, '/analytics/timeseries', 500);
    await visit(`overview?${DAYS}`);
    const series = page.getByRole('region', { name: 'Day by day' });
    await series.getByText('Said by the test.').waitFor();
    await series.getByText('request-of-the-test').waitFor();
    expect(await rowOf(page.getByRole('region', { name: 'totals' }), 'Sessions')).toEqual([
      'Sessions',
      '3',
      '1',
      '+2 (+200\u00a0%)',
    ]);
    await page.unroute('**/analytics/timeseries**');
    await series.getByRole('button', { name: 'Try again' }).click();
    await series.getByRole('figure').waitFor();
    // Of days that are refused it says by which rule.
    await visit('revenue?from=1900-01-01&to=2026-01-01');
    await page.getByRole('alert').getByText('at most 3660 days after from').waitFor();
  });

  it('a funnel follows its address, and Back undoes one step', async () => {
    await visit(`funnel?${DAYS}&steps=page_view,purchase&breakdown=day`);
    const chart = page.getByRole('figure', { name: 'Sessions by step.' });
    await chart.getByText('50 % of the sessions that began it came to purchase: 1.').waitFor();
    expect(await rowOf(page.getByRole('region', { name: 'parts' }), '2026-03-29')).toEqual([
      '2026-03-29',
      '1 (100\u00a0%)',
      '1 (100\u00a0%)',
    ]);
    await checkScreen(page, 'Funnel');
    await page.getByLabel('Step 2').selectOption('search');
    await chart.getByText('came to search: 0.').waitFor();
    expect(new URL(page.url()).searchParams.get('steps')).toBe('page_view,search');
    await page.goBack();
    await chart.getByText('came to purchase: 1.').waitFor();
    await visit(`funnel?${DAYS}&steps=nothing&minutes=-1`);
    await page.getByLabel('Step 4').waitFor();
    expect(await page.getByLabel('Minutes from').inputValue()).toBe('1440');
    expect(pages.complaints).toEqual([]);
  });

  it('a funnel whose service is away says so, with another try', async () => {
    await refuse(page, '/analytics/funnel', 503);
    await visit(`funnel?${DAYS}`);
    await page.getByText('The service is away for a moment.').waitFor();
    await page.unroute('**/analytics/funnel**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('figure').waitFor();
  });

  it('the parts of a revenue difference sum to it, and open their orders and events', async () => {
    await visit(`revenue?${DAYS}`);
    const euro = page.getByRole('region', { name: 'Revenue in EUR' });
    await euro.getByText('\u221211.00 EUR (orders less events; sum of the parts: \u221211.00 EUR)').waitFor();
    await euro.getByText('51.00 EUR in 2 events').waitFor();
    await euro.getByText('40.00 EUR in 2 orders').waitFor();
    await euro.getByRole('link', { name: 'Show them: Orders without an event in EUR' }).click();
    const items = page.getByRole('region', { name: 'Orders without an event, EUR' });
    await items.getByRole('cell', { name: '20.00 EUR' }).waitFor();
    await checkScreen(page, 'Revenue');
    await items.getByRole('link', { name: 'order-2' }).click();
    await page.getByRole('heading', { name: 'Order order-2' }).waitFor();
    await page.goBack();
    await items.waitFor();
    expect(pages.complaints).toEqual([]);
  });

  it('a part of the difference that is refused leaves the sums', async () => {
    await refuse(page, '/analytics/revenue/items', 403);
    await visit(`revenue?${DAYS}&part=repeated_events&currency=EUR`);
    const items = page.getByRole('region', { name: 'Repeated events, EUR' });
    await items.getByText('Your role does not allow this.').waitFor();
    await page.getByText('51.00 EUR in 2 events').waitFor();
  });

  it('events are found by their type, and what a stranger sent is text', async () => {
    await visit('events?event_type=search');
    const table = page.getByRole('region', { name: 'events' });
    await table.getByRole('cell', { name: 'hostile' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    await table.getByText('1 property').click();
    await table.getByText('<img src=x onerror=alert(1)></script>').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await checkScreen(page, 'Events');
    await page.getByLabel('Session').fill('nobody');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No stored event fits.').waitFor();
    expect(new URL(page.url()).searchParams.get('session_id')).toBe('nobody');
    // Who goes by the keyboard goes on from where the form was sent.
    await page.getByRole('button', { name: 'Show' }).and(page.locator(':focus')).waitFor();
    await page.goBack();
    await table.getByRole('cell', { name: 'hostile' }).waitFor();
    expect(pages.complaints).toEqual([]);
  });

  it('events that cannot be asked for say that nothing was changed', async () => {
    await page.route('**/analytics/events**', (route) => route.abort());
    await visit('events?');
    await quiet(page);
    await page.getByText('The service could not be reached. Nothing was changed.').waitFor();
  });

  it('a screen whose code cannot be had leaves what is around it, and is tried again', async () => {
    await visit('events');
    await page.route('**/assets/health-screen-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'This screen cannot be shown' }).waitFor();
    await page.getByRole('link', { name: 'Touches', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Touches' }).waitFor();
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'This screen cannot be shown' }).waitFor();
    // Its page does not ask for itself again under who has gone on elsewhere, as one without its first script does.
    expect(await page.evaluate(() => sessionStorage.getItem('truetally:reloads'))).toBeNull();
    await page.unroute('**/assets/health-screen-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
  });

  it('a page without a network says so and how old it is, and goes on by itself when there is one again', async () => {
    const banner = page.getByRole('status').filter({ hasText: 'The service cannot be reached.' });
    await page.route('**/api/v1/**', (route) => route.abort());
    await page.goto(`${pages.home}w/${shop.workspaceId}/events?site=${shop.site.id}`);
    await banner.waitFor();
    // Nothing was ever here that could be of some time.
    expect(await banner.innerText()).not.toContain('as of');
    await page.unroute('**/api/v1/**');
    await page.getByRole('region', { name: 'events' }).waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Session').fill('nobody');
    await page.getByRole('button', { name: 'Show' }).click();
    await banner.getByText('What is shown is as of').waitFor();
    await page.context().setOffline(false);
    await page.getByText('No stored event fits.').waitFor();
    await banner.waitFor({ state: 'detached' });
  });

  it('an event is found by each of its ids, with what became of it; an unknown id says how far back it was looked for', async () => {
    const requestId = `trail-${randomUUID()}`;
    const event = {
      event_type: 'search',
      session_id: 'trail',
      client_event_id: `<b>${requestId}`,
      context: { page_url: 'https://shop.example/', user_agent: 'x' },
      properties: { query: 'cup' },
    };
    expect(await shop.sendAs(requestId, [event, event, { ...event, properties: {} }])).toBe(207);
    await eventually(async () => {
      const query = `site_id=${shop.site.id}&request_id=${requestId}`;
      const trail = await shop.read<Trail>(`analytics/events/trail?${query}`);
      return trail?.items.length === 3 && trail.items[0]?.report === 'counted';
    }, WAIT);
    await visit(`trail`);
    await page.getByLabel('Event id, client event id or request id').fill(requestId);
    await page.getByRole('button', { name: 'Show' }).click();
    const items = page.getByRole('region', { name: 'items' });
    await items.getByText('counted').waitFor();
    const rows = await items.getByRole('row').allTextContents();
    expect(rows.map((row) => /stored|duplicate|refused/.exec(row)?.[0])).toEqual([
      undefined,
      'stored',
      'duplicate',
      'refused',
    ]);
    expect(rows[3]).toContain('properties.query');
    await checkScreen(page, 'Where is my event');
    await page.getByLabel('Event id, client event id or request id').fill(event.client_event_id);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('Shown items: 3').waitFor();
    await page.getByLabel('Event id, client event id or request id').fill('no-such-id');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('Nothing of this site has that id.').waitFor();
    await page.getByText('duplicates and refused ones since').waitFor();
    await refuse(page, '/analytics/events/trail', 500);
    await visit(`trail?id=again`);
    await page.getByText('Said by the test.').waitFor();
  });

  it('health shows each hour as a sum, why items failed, and what is left of the hour', async () => {
    const bad = { event_type: 'search', session_id: '', context: {} };
    expect(await shop.sendAs(`health-${randomUUID()}`, [bad])).toBe(207);
    await eventually(async () => {
      const query = `site_id=${shop.site.id}&request_id=none-such`;
      await shop.read(`analytics/events/trail?${query}`);
      await visit('health');
      await page.getByRole('region', { name: 'hours' }).waitFor();
      return (await page.getByRole('region', { name: 'reasons' }).count()) === 1;
    }, WAIT);
    const hours = page.getByRole('region', { name: 'hours' });
    expect((await hours.getByRole('row').allTextContents()).join()).not.toContain('✗');
    await page.getByRole('region', { name: 'allowances' }).getByText('Pages of the shop').waitFor();
    await checkScreen(page, 'Health');
  });
});

it('an integration whose answer is lost, and that is added again, is one integration', async () => {
  await visit('integrations');
  await page.getByRole('button', { name: 'Add an integration' }).click();
  await page.getByLabel('Publisher id').fill('4815');
  await page.getByLabel('API token').fill('a-token-of-the-network');
  await loseAnswer(page, '**/api/v1/integrations');
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('Whether anything was changed is not known').waitFor();
  await page.getByRole('button', { name: 'Add it' }).dblclick();
  await page.getByRole('link', { name: 'Awin' }).click();
});
