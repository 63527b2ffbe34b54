import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { answerBatches } from './testing/answer-batches.js';
import { guideSuite } from './testing/guide-suite.js';
import { linksSuite } from './testing/links-suite.js';
import { launchBrowser, newContext } from './testing/launch-browser.js';
import { otherBrowsersSuite } from './testing/other-browsers-suite.js';
import { Shop } from './testing/shop.js';
import { type StoredEvent, storedEvents } from './testing/stored-events.js';
import type { Diagnostics, EventProof } from './types.js';

const ABRUPT_VISITS = 10;
const ABRUPT_NAVIGATIONS = 20;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describe('the SDK in a browser, against the running product', () => {
  let product: Product;
  let shop: Shop;
  let browser: Browser;
  /** One with windows, once a test needs it. */
  let whole: Browser | undefined;
  let context: BrowserContext;
  let siteId: string;
  let sdkUrl: string;

  beforeAll(async () => {
    [product, shop, browser] = await Promise.all([
      sharedProduct(),
      Shop.open(),
      launchBrowser(process.env['CHROMIUM_SHELL']),
    ]);
    sdkUrl = new URL('/sdk/v1/truetally.js', product.baseUrl).href;
  });

  afterAll(async () => {
    await Promise.all([browser.close(), whole?.close()]);
    shop.close();
    await product.stop();
  });

  beforeEach(async () => {
    const site = await product.createSite({ allowed_origins: [shop.origin], publisher_mode: 'active' });
    siteId = site.id;
    shop.pages.set('/', {
      head: `<script src="${sdkUrl}"></script><script>${initWith()}</script>`,
      body: "<button onclick=\"truetally.track('add_to_cart', { product_id: 'SKU-1' })\">Buy</button>",
    });
    context = await newContext(browser);
  });

  afterEach(() => context.close());

  /** What becomes of a page that is left is the browser's doing, of which the shell is a part. Everything else costs half in the shell. */
  async function inWholeBrowser(): Promise<void> {
    await context.close();
    whole ??= await launchBrowser(process.env['CHROMIUM']);
    context = await newContext(whole);
  }

  const initWith = (more = ''): string =>
    `truetally.init({ siteId: '${siteId}', endpoint: '${product.baseUrl}'${more} });`;

  async function visit(path = '/'): Promise<Page> {
    const page = await context.newPage();
    await page.goto(shop.origin + path);
    return page;
  }

  const flush = (page: Page): Promise<readonly EventProof[]> => page.evaluate('truetally.flush()');
  const diagnostics = (page: Page): Promise<Diagnostics> => page.evaluate('truetally.diagnostics()');
  const view = (page: Page): Promise<string> =>
    page.evaluate("truetally.track('product_view', { product_id: 'SKU-1' })");
  const statuses = (proofs: readonly EventProof[]): string[] => proofs.map(({ status }) => status);

  /** Resolves when nothing waits in the page's outbox, which its own triggers empty. */
  const untilSent = (page: Page): Promise<unknown> =>
    eventually(async () => (await diagnostics(page)).waiting === 0);

  const stored = (): Promise<readonly StoredEvent[]> => storedEvents(product, siteId);

  it('a captured event is proved by its id at the service', async () => {
    const page = await visit();
    const id = await view(page);
    expect(await flush(page)).toEqual([
      {
        client_event_id: id,
        status: 'stored',
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        timestamp: expect.stringMatching(/Z$/),
        request_id: expect.any(String),
      },
    ]);
    expect(await stored()).toMatchObject([
      { event_type: 'product_view', properties: { product_id: 'SKU-1' } },
    ]);
    const { requests, storage } = await diagnostics(page);
    expect([storage, requests.map(({ status }) => status)]).toEqual(['local', [201, 201]]);
  });

  it('calls from before the script has loaded are made when it has', async () => {
    const names = 'init track page identify setConsent flush onError diagnostics';
    shop.pages.set('/early', {
      head: `<script>!function(w,d,t){t=w.truetally={q:[]};"${names}".split(" ").forEach(function(m){t[m]=function(){var a=arguments;return new Promise(function(r){t.q.push([m,a,r])})}});w=d.createElement("script");w.async=1;w.src="${sdkUrl}";d.head.appendChild(w)}(window,document);${initWith()}truetally.page();var early=truetally.flush()</script>`,
    });
    const page = await visit('/early');
    expect(statuses(await page.evaluate('early'))).toEqual(['stored']);
  });

  it('a page that allows no inline script names its site by attributes', async () => {
    const host = new URL(product.baseUrl).origin;
    shop.scripts.set('/shop.js', 'truetally.page();');
    shop.pages.set('/strict', {
      policy: `default-src 'none'; script-src 'self' ${host}; connect-src ${host}; require-trusted-types-for 'script'`,
      head: `<script src="${sdkUrl}" data-site-id="${siteId}"></script><script src="/shop.js"></script>`,
    });
    const page = await visit('/strict');
    await untilSent(page);
    expect(await stored()).toMatchObject([{ event_type: 'page_view' }]);
  });

  it('an event of a frame that has no address is one of the page around it', async () => {
    const tag = `<script src="${sdkUrl}" data-site-id="${siteId}"></script>`;
    shop.pages.set('/around', { head: '', body: `<iframe srcdoc='${tag}'></iframe>` });
    const frame = (await visit('/around')).frames()[1];
    await frame?.evaluate('truetally.page()');
    expect(statuses((await frame?.evaluate('truetally.flush()')) ?? [])).toEqual(['stored']);
  });

  it('events of a page without network are sent when it is back', async () => {
    const page = await visit();
    await context.setOffline(true);
    for (let index = 0; index < 3; index += 1) await view(page);
    expect(statuses(await page.evaluate('truetally.flush(500)'))).toEqual(['pending', 'pending', 'pending']);
    await context.setOffline(false);
    await untilSent(page);
    expect(await stored()).toHaveLength(3);
  });

  it('no click is lost when its tab is closed at once', async () => {
    await inWholeBrowser();
    for (let index = 0; index < ABRUPT_VISITS; index += 1) {
      const page = await visit();
      await page.evaluate("document.querySelector('button').click()");
      await page.close();
    }
    await flush(await visit());
    expect(await stored()).toHaveLength(ABRUPT_VISITS);
  });

  it('no click is lost when the page is left at once, 20 times', async () => {
    await inWholeBrowser();
    const page = await visit();
    for (let index = 0; index < ABRUPT_NAVIGATIONS; index += 1) {
      await page.evaluate("document.querySelector('button').click()");
      await page.goto(`${shop.origin}/`, { waitUntil: 'commit' });
      await page.waitForFunction('document.readyState !== "loading"');
    }
    await flush(page);
    expect(await stored()).toHaveLength(ABRUPT_NAVIGATIONS);
  });

  it.each([3, -2])('a clock that is %d days ahead costs no event and tells no wrong time', async (days) => {
    await context.addInitScript(`const now = Date.now; Date.now = () => now() + ${days * DAY_MS};`);
    const page = await visit();
    await view(page);
    expect(statuses(await flush(page))).toEqual(['stored']);
    const [event] = await stored();
    expect(Math.abs(Number(event?.occurred_at) - Date.now())).toBeLessThan(HOUR_MS);
  });

  it('a page stays in the back/forward cache, and sends from there', async () => {
    await inWholeBrowser();
    const page = await visit();
    await page.evaluate("window.isKept = true; document.querySelector('button').click()");
    shop.pages.set('/next', shop.pages.get('/') ?? { head: '' });
    // A browser keeps no page whose request is still under way, as on a slow machine it would be.
    await flush(page);
    await page.waitForLoadState('networkidle');
    await page.goto(`${shop.origin}/next`);
    await view(page);
    await flush(page);
    await page.goBack({ waitUntil: 'commit' });
    expect(await page.evaluate('window.isKept')).toBe(true);
    await view(page);
    await flush(page);
    expect(await stored()).toHaveLength(3);
  });

  it('a storage that is full costs no event', async () => {
    const page = await visit();
    await page.evaluate(`for (let size = 1 << 22; size > 0; size >>= 1)
      try { localStorage.setItem('filler' + size, 'x'.repeat(size)) } catch {}`);
    await view(page);
    expect((await diagnostics(page)).storage).toBe('memory');
    expect(statuses(await flush(page))).toEqual(['stored']);
    expect((await diagnostics(page)).waiting).toBe(0);
  });

  it('two tabs send one at a time, and each event is stored once', async () => {
    const [one, other] = [await visit(), await visit()];
    let current = 0;
    let most = 0;
    await context.route('**/events/batch', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      current += 1;
      most = Math.max(most, current);
      const response = await route.fetch();
      current -= 1;
      return route.fulfill({ response });
    });
    for (let index = 0; index < 10; index += 1) await Promise.all([view(one), view(other)]);
    const proofs = (await Promise.all([flush(one), flush(other)])).flat();
    // A copy may still be on its way.
    await context.unrouteAll({ behavior: 'wait' });
    const ids = new Set(proofs.map(({ client_event_id }) => client_event_id));
    // Tabs of two processes see each other's removals a moment later: a copy is answered as a duplicate.
    expect([ids.size, statuses(proofs).filter((status) => !/^(stored|duplicate)$/.test(status))]).toEqual([
      20,
      [],
    ]);
    expect([await stored().then(({ length }) => length), most]).toEqual([20, 1]);
  });

  it('a browser that refuses storage and locks, as it does together, sends from memory', async () => {
    await context.addInitScript(`
      Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('No', 'SecurityError') } });
      navigator.locks.request = () => Promise.reject(new DOMException('No', 'SecurityError'));`);
    const page = await visit();
    await view(page);
    expect((await diagnostics(page)).storage).toBe('memory');
    expect(statuses(await flush(page))).toEqual(['stored']);
  });

  it('a 429 silences every page until its reset', async () => {
    let resetSeconds = 0;
    const headers = () => {
      resetSeconds = Math.ceil(Date.now() / 1000) + 5;
      return { 'x-ratelimit-reset': String(resetSeconds) };
    };
    const times = await answerBatches(context, shop.origin, [{ status: 429, headers }]);
    const page = await visit();
    await view(page);
    expect(statuses(await flush(page))).toEqual(['pending']);
    const next = await visit();
    await untilSent(next);
    expect(times.length).toBeGreaterThan(1);
    expect(times.slice(1).filter((time) => time < resetSeconds * 1000)).toEqual([]);
    expect(await stored()).toHaveLength(1);
  });

  it('a 503 delays an event, and a 400 fails it for good', async () => {
    const page = await visit();
    await answerBatches(context, shop.origin, [{ status: 503 }, { status: 503 }]);
    await view(page);
    expect(statuses(await flush(page))).toEqual(['stored']);
    const bad = await page.evaluate("truetally.track('product_view', {})");
    expect(await flush(page)).toMatchObject([
      { client_event_id: bad, status: 'failed', error: { code: 'VALIDATION_ERROR' } },
    ]);
    expect((await diagnostics(page)).waiting).toBe(0);
  });

  it('a token that the service no longer accepts is replaced', async () => {
    const page = await visit();
    await view(page);
    await flush(page);
    await page.evaluate(`localStorage.setItem('truetally:${siteId}:token', Date.now() + ' not.a.token')`);
    await view(page);
    expect(statuses(await flush(page))).toEqual(['stored']);
    const { requests } = await diagnostics(page);
    expect(requests.map(({ status }) => status)).toEqual([201, 201, 401, 201, 201]);
  });

  it('consent comes before the first byte, and its withdrawal leaves none', async () => {
    shop.pages.set('/consent', {
      head: `<script src="${sdkUrl}"></script><script>${initWith(", consent: 'required'")}truetally.page()</script>`,
    });
    const requests: string[] = [];
    context.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const page = await visit('/consent');
    await view(page);
    expect(statuses(await page.evaluate('truetally.flush(1000)'))).toEqual(['pending', 'pending']);
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
    expect(requests).toEqual(['/consent', '/sdk/v1/truetally.js']);
    await page.evaluate("truetally.setConsent('granted')");
    expect(statuses(await flush(page))).toEqual(['stored', 'stored']);
    await context.setOffline(true);
    await view(page);
    await page.evaluate("truetally.setConsent('denied')");
    await context.setOffline(false);
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(await view(page)).toBeUndefined();
    await flush(await visit());
    expect(await stored()).toHaveLength(2);
  });

  it('a page that redefines what the SDK uses, after it has loaded, changes nothing', async () => {
    const page = await visit();
    await page.evaluate(`
      window.fetch = () => Promise.reject(new Error('hostile'));
      JSON.stringify = () => 'hostile'; JSON.parse = () => ({});
      Array.prototype.toJSON = Date.prototype.toJSON = () => 'hostile';
      Date.now = () => 0; Math.random = () => NaN;
      navigator.sendBeacon = () => true; window.setTimeout = () => 0;
      navigator.locks.request = window.Promise = function () { throw new Error('hostile') };
      Storage.prototype.setItem.call(localStorage, 'other', 'kept');`);
    const track = "void truetally.track('product_view', { product_id: 'SKU-1', sizes: [['S'], 'L'] })";
    await page.evaluate(track);
    expect(statuses(await flush(page))).toEqual(['stored']);
    await page.evaluate(track);
    await page.close();
    // The closing page may have sent it, and lived to see the answer; if it did not, the next one's is a duplicate.
    expect([[], ['stored'], ['duplicate']]).toContainEqual(statuses(await flush(await visit())));
    const properties = { product_id: 'SKU-1', sizes: [['S'], 'L'] };
    const event = { event_type: 'product_view', properties };
    expect(await stored()).toMatchObject([event, event]);
  });

  otherBrowsersSuite(process.env['PATH'] ?? '', () => ({
    shop,
    head: `<script src="${sdkUrl}"></script><script>${initWith(', decorateLinks: true')}</script>`,
    stored,
  }));
  guideSuite(() => ({ shop, sdkUrl, siteId, endpoint: product.baseUrl, visit, flush }));
  linksSuite(() => ({ shop, sdkUrl, init: initWith(', decorateLinks: true'), visit, flush, stored }));
});
