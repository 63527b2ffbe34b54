import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { checkScreen, keptBy, OpenedPages, quiet, untilForgotten } from './testing/opened-pages.js';

const SCREENS = [
  'Get started',
  'Overview',
  'Revenue compared',
  'Funnel',
  'Health',
  'Where is my event',
  'Live events',
  'Events',
  'Orders',
  'Ledger',
  'Commission rules',
  'Touches',
  'Publisher',
  'Integrations',
  'Experiments',
  'Campaigns',
  'Products',
  'Media',
  'Submissions',
  'Workflows',
  'Jobs',
  'Profiles',
  'Sites',
  'API keys',
  'Members',
  'Audit log',
];
const NOT_AN_ANALYSTS = new Set(['Get started', 'Publisher', 'Audit log']);

let product: Product;
let pages: OpenedPages;
/** Of all tests that leave its clock and its session as they are: the files of the pages are read once. */
let context: BrowserContext;
let isSpent = true;
let page: Page;
let home: string;
let workspaceId: string;

beforeAll(async () => {
  product = await sharedProduct();
  const own = { name: `Pages ${randomUUID()}`, owner_sub: 'demo-owner' };
  [pages, { id: workspaceId }] = await Promise.all([
    OpenedPages.open(product),
    product.asks.createWorkspace(own),
  ]);
  ({ home } = pages);
});

afterAll(async () => {
  await pages.close();
  await product.stop();
});

beforeEach(async () => {
  pages.complaints = [];
  if (isSpent) context = await pages.newContext();
  isSpent = false;
  page = await pages.newPage(context);
});

afterEach(() => (isSpent ? context.close() : page.close()));

/** As the demo's owner, in the workspace of this suite. */
async function signIn(): Promise<void> {
  await pages.signIn(page, 'demo-owner');
  await page.getByRole('combobox', { name: 'Workspace' }).selectOption(workspaceId);
  await page.waitForURL(`**/w/${workspaceId}/sites`);
  await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
}

async function addSite(name: string): Promise<void> {
  await page.getByRole('link', { name: 'Add a site' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Domain').fill('shop.example');
  await page.getByLabel('Allowed origins').fill('https://shop.example');
  await page.getByRole('button', { name: 'Add the site' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
}

/** How much of a list is out of sight until somebody scrolls it sideways. */
async function hiddenPixels(list: Locator): Promise<number> {
  return list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
}

describe('the dashboard in a browser', () => {
  it('the first workspace is made by whoever has none, and its sites are shown', async () => {
    const workspaces = '**/api/v1/workspaces?*';
    await page.route(workspaces, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        json: { ...(await answer.json()), data: { items: [], next_cursor: null } },
      });
    });
    await page.goto(`${home}?login_hint=demo-owner`);
    await page.getByLabel('Name', { exact: true }).fill('Pages’ first workspace');
    await page.unroute(workspaces);
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    await page.getByRole('option', { name: 'Pages’ first workspace' }).waitFor({ state: 'attached' });
  });

  it('every screen is shown without complaint, accessible in both schemes and at 390 pixels', async () => {
    await signIn();
    // One word, wider than a narrow window.
    await addSite('Kaffeehandelsgesellschaft'.repeat(4));
    for (const name of SCREENS) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await quiet(page);
      await checkScreen(page, `empty ${name}`);
    }
    await page.getByRole('link', { name: 'Sites', exact: true }).click();
    await page.setViewportSize({ width: 390, height: 800 });
    const sites = page.getByRole('region', { name: 'sites' });
    await sites.getByRole('cell', { name: 'UTC' }).first().waitFor();
    expect(await hiddenPixels(sites)).toBe(0);
    expect(pages.complaints).toEqual([]);
  });

  it('a screen is printed in dark letters, without what leads elsewhere', async () => {
    await signIn();
    await page.getByLabel('Colours').selectOption('dark');
    const ink = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).color);
    expect(await ink()).toBe('rgb(230, 233, 238)');
    await page.emulateMedia({ media: 'print' });
    expect(await ink()).toBe('rgb(26, 31, 39)');
    expect(await page.getByRole('navigation').count()).toBe(0);
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
  });

  it('an id of an address leads to no other route of the API', async () => {
    await signIn();
    await addSite('Shop of an address');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(page.url().replace(/sites.*$/, 'workflows/%2e%2e%2Fmedia'));
    await page.getByRole('alert').waitFor();
    expect(asked.some((path) => path.endsWith('/workflows/..%2Fmedia'))).toBe(true);
    expect(asked.filter((path) => path.endsWith('/api/v1/media'))).toEqual([]);
  });

  it('a key is shown once, and stays in no part of the page', async () => {
    await signIn();
    await addSite('Shop with keys');
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('backend');
    await page.getByRole('button', { name: 'Make it' }).click();
    const secret = await page.getByText(/^ck_\w{8}_/).textContent();
    expect(secret).toMatch(/^ck_[a-z0-9]{8}_[\w-]{43}$/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: /^backend/ }).waitFor();
    await untilForgotten(page, String(secret));
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.getByText('revoked').waitFor();
    const body = JSON.stringify({
      event_type: 'page_view',
      session_id: 's',
      context: { page_url: 'https://shop.example/', user_agent: 'x' },
    });
    await eventually(async () => {
      const headers = { 'X-API-Key': String(secret), 'Content-Type': 'application/json' };
      const answer = await fetch(`${product.baseUrl}/events/track`, { method: 'POST', headers, body });
      return answer.status === 401;
    });
  });

  it('a refused field says why at the field, with the focus on the first', async () => {
    await signIn();
    await page.getByRole('link', { name: 'Add a site' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shop');
    await page.getByLabel('Domain').fill('shop.example');
    await page.getByLabel('Allowed origins').fill('ftp://shop.example');
    await page.getByLabel('Currency').fill('EURO');
    await page.getByRole('button', { name: 'Add the site' }).click();
    const origins = page.getByLabel('Allowed origins');
    await eventually(async () => (await origins.getAttribute('aria-invalid')) === 'true');
    expect(await page.getByLabel('Currency').getAttribute('aria-invalid')).toBe('true');
    await page.getByText('entry 1 must be an address such as https://shop.example').waitFor();
    expect(await origins.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('an address survives the sign-in and a reload, and no token is kept anywhere', async () => {
    await signIn();
    const deep = new URL(page.url());
    deep.pathname = deep.pathname.replace(/sites$/, 'orders');
    deep.searchParams.set('order', 'A-1');
    const bearers: string[] = [];
    page.on('request', (request) => {
      const { authorization } = request.headers();
      if (authorization !== undefined) bearers.push(authorization.replace('Bearer ', ''));
    });
    await page.goto(deep.href);
    await page.getByText('Not found.').waitFor();
    expect(page.url()).toBe(deep.href);
    await page.reload();
    await page.getByText('Not found.').waitFor();
    await page.getByRole('link', { name: 'All orders' }).waitFor();
    expect(page.url()).toBe(deep.href);
    const kept = await keptBy(page);
    expect(bearers.length).toBeGreaterThan(0);
    for (const token of bearers) expect(kept).not.toContain(token);
  });

  it('a token that is about to end is renewed once, also when the refresh answer has none', async () => {
    isSpent = true;
    await signIn();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('ID token lasts').fill('60');
    await page.getByLabel('Refresh without a new ID token').check();
    await page.getByRole('button', { name: 'Olga, owner' }).click();
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    await page.getByRole('link', { name: 'Add a site' }).click();
    await page.getByLabel('Name', { exact: true }).fill('A form across a renewal');
    // Half a minute later the page has left for the issuer, and come back.
    await page.waitForEvent('framenavigated');
    await page.getByRole('heading', { name: 'Add a site' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('A form across a renewal');
  });

  it('a page whose script its server lacks, as in the middle of a release, is asked for again', async () => {
    const statuses = [404, 404];
    await page.route('**/dashboard/assets/index-*.js', async (route) => {
      const status = statuses.shift();
      await (status === undefined ? route.continue() : route.fulfill({ status }));
    });
    await pages.signIn(page, 'demo-owner');
    expect(statuses).toEqual([]);
  });

  it('keys open the list of sites, and lead nowhere before one is taken', async () => {
    await signIn();
    for (const name of ['One', 'Two']) await addSite(name);
    const left = page.url();
    const choice = page.getByRole('combobox', { name: 'Site' });
    const isFirst = left.includes(String(await choice.locator('option').first().getAttribute('value')));
    for (const key of ['ArrowUp', 'ArrowDown', isFirst ? 'End' : 'Home']) await choice.press(key);
    expect(page.url()).toBe(left);
    await Promise.all([page.waitForURL(({ href }) => href !== left), choice.press('Enter')]);
  });

  it('an issuer that does not answer is named within seconds, with another try', async () => {
    isSpent = true;
    const silent = '**/*openid-configuration*';
    await page.route(silent, () => undefined);
    await page.clock.install();
    const asked = page.waitForRequest(silent);
    await page.goto(`${home}?login_hint=demo-owner`, { waitUntil: 'commit' });
    await asked;
    await page.clock.fastForward(10_000);
    await page.getByText('The sign-in service does not answer.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it('Back shows nothing after the sign-out, and the other tab is out, too', async () => {
    isSpent = true;
    await signIn();
    const other = await pages.newPage(context);
    await other.goto(home);
    await other.getByRole('heading', { name: 'Sites' }).waitFor();
    // So that Back leads to a screen and not out of the page.
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    await other.getByRole('heading', { name: 'Signed out' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    expect(await page.content()).not.toContain('Site id');
    expect(await page.getByText('there you may still be signed in').count()).toBe(0);
  });

  it('an analyst has no control that writes, and owners’ screens are not there', async () => {
    isSpent = true;
    const invited = await invite('demo-analyst', 'analyst');
    await page.goto(`${home}?login_hint=demo-analyst`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const accept = page
      .getByRole('region', { name: `Invitation to ${invited}` })
      .getByRole('button', { name: 'Accept' });
    const sites = page.getByRole('heading', { name: 'Sites' });
    await accept.or(sites).first().waitFor();
    if ((await accept.count()) > 0) await accept.click();
    await sites.waitFor();
    const links = await page.getByRole('navigation').getByRole('link').allTextContents();
    expect(links).toEqual(SCREENS.filter((name) => !NOT_AN_ANALYSTS.has(name)));
    expect(await page.getByRole('link', { name: 'Add a site' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    expect(await page.locator('main').getByRole('button').allTextContents()).toEqual(['Leave']);
    await page.goto(page.url().replace(/members.*$/, 'audit-log'));
    await page.getByText('needs the role owner').waitFor();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Leave it' }).click();
    await page.getByRole('heading', { level: 1, name: /^(?:Sites|Your workspace)$/ }).waitFor();
    await eventually(async () => !(await page.content()).includes(invited));
  });
});

/** @returns the name of the workspace */
async function invite(person: string, role: string): Promise<string> {
  const token = await product.idToken({ sub: 'demo-owner', email: 'demo-owner@shop.example' });
  const name = `Workspace of ${person}`;
  const call = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(product.baseUrl + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { readonly data: { readonly id: string } }).data;
  };
  const { id } = await call('/workspaces', { name });
  await call(`/workspaces/${id}/members`, { email: `${person}@shop.example`, role });
  return name;
}
