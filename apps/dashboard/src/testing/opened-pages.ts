import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect } from '@jest/globals';
import {
  CHROMIUM_PATIENCE_MS,
  eventually,
  ID_TOKEN_AUDIENCE,
  isPortFree,
  issuerUrl,
  type LocalService,
  TESTED_CHROMIUM_FLAGS,
} from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { startDashboard } from './start-dashboard.js';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Elements that pass are not gathered: that is most of axe's time. */
const VIOLATIONS_ONLY = { resultTypes: ['violations' as const] };
/** Source for a page that has axe already: its rules are read once by a document, which costs as much as an analysis. */
const LOADED = 'void 0';
const HEIGHT = 800;
/** As a page is opened. */
const WIDE = { colorScheme: 'light', width: 1280 } as const;
const NARROW = { colorScheme: 'dark', width: 390 } as const;
/** A gateway may know a new workspace some moments after its first answer about it; the page asks for its sites again. */
const ASKED_AGAIN = / 404 .*\/api\/v1\/sites\?limit=200$/;

/** The pages of a running product in a browser, with what they complain of. */
export class OpenedPages {
  complaints: string[] = [];
  /** The screens on which each page has been, by their first word. */
  private readonly visited = new WeakMap<Page, Set<string>>();

  private constructor(
    readonly product: Product,
    /** Ends with `/dashboard/`. */
    readonly home: string,
    private readonly dashboard: LocalService,
    private readonly browser: Browser,
  ) {}

  static async open(product: Product): Promise<OpenedPages> {
    const [{ origin, dashboard }, browser] = await Promise.all([
      startAtFreeOrigin(product),
      chromium.launch({
        executablePath: String(process.env['CHROMIUM_SHELL']),
        args: [...TESTED_CHROMIUM_FLAGS],
        timeout: CHROMIUM_PATIENCE_MS,
      }),
    ]);
    return new OpenedPages(product, `${origin}/dashboard/`, dashboard, browser);
  }

  async newContext(): Promise<BrowserContext> {
    this.complaints = [];
    const context = await this.browser.newContext({ viewport: { width: WIDE.width, height: HEIGHT } });
    context.setDefaultTimeout(CHROMIUM_PATIENCE_MS);
    return context;
  }

  async newPage(context: BrowserContext): Promise<Page> {
    const opened = await context.newPage();
    opened.on('pageerror', (error) => this.complaints.push(error.message));
    opened.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      // A failed load is told apart by its address alone.
      const complaint = [message.text(), message.location().url].join(' ');
      if (!ASKED_AGAIN.test(complaint)) this.complaints.push(complaint);
    });
    return opened;
  }

  /** As a person of the local issuer, whose workspace the caller has made. */
  async signIn(page: Page, person: string): Promise<void> {
    await page.goto(`${this.home}?login_hint=${person}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  /**
   * A screen is come to as by a link the first time, and by its address from then on, so that what was read before is read
   * again: a document that begins anew signs in first, which is most of what a visit costs.
   * @param path below the workspace, with its search: `overview?site=…`
   */
  async visit(page: Page, workspaceId: string, path: string): Promise<void> {
    const workspace = `${this.home}w/${workspaceId}/`;
    const address = workspace + path;
    const visited = this.visited.get(page) ?? new Set();
    this.visited.set(page, visited.add(screenOf(page.url())));
    const isKnown = visited.has(screenOf(address)) || !page.url().startsWith(workspace);
    await (isKnown ? page.goto(address) : follow(page, address));
    visited.add(screenOf(address));
    await page.locator('h1:not([data-left])').waitFor();
    await quiet(page);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.dashboard.stop();
  }
}

/** Suites run beside each other: each takes an origin that no other has. */
async function startAtFreeOrigin(product: Product) {
  const { issuer } = product.installation;
  const origins = (issuer.dashboardOrigins ?? []).filter((one) => one.startsWith('http://localhost'));
  for (const origin of origins) {
    const port = Number(new URL(origin).port);
    if (!(await isPortFree(port))) continue;
    try {
      const dashboard = await startDashboard({
        port,
        apiBaseUrl: product.baseUrl,
        issuer: issuerUrl(issuer),
        audience: ID_TOKEN_AUDIENCE,
      });
      return { origin, dashboard };
    } catch (error) {
      // Another suite, or any client of this machine, may have been faster.
      if (!String(error).includes('EADDRINUSE')) throw error;
    }
  }
  throw new Error('No origin is free for the pages.');
}

/** `orders`, of any address of orders. */
function screenOf(address: string): string {
  return new URL(address).pathname.split('/')[4] ?? '';
}

/** As a click on a link does; the heading of the screen that is left is marked. */
async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate((href) => {
    document.querySelector('h1')?.setAttribute('data-left', '');
    history.pushState({}, '', href);
  }, address);
}

/** Until nothing of the screen is loading. */
export async function quiet(page: Page): Promise<void> {
  const loading = page.getByRole('status', { name: 'Loading' });
  await eventually(async () => (await loading.count()) === 0, { timeoutMs: CHROMIUM_PATIENCE_MS });
}

/**
 * The shown screen is accessible in both schemes and at both widths, does not scroll sideways, and shows no value that is
 * none: wide and light, and narrow and dark, because what depends on the width does not depend on the scheme. With `PICTURES`
 * (a folder) in the environment it leaves a picture of each.
 */
export async function checkScreen(page: Page, name: string): Promise<void> {
  for (const { colorScheme, width } of [NARROW, WIDE]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: HEIGHT });
    const found = await violationsOf(page);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    await takePicture(page, `${name} ${colorScheme} ${width}`);
    expect({ name, colorScheme, width, found, overflow }).toEqual({
      name,
      colorScheme,
      width,
      found: [],
      overflow: 0,
    });
    expect(await page.locator('main').innerText()).not.toMatch(
      /NaN|Infinity|undefined|\[object|Invalid Date/,
    );
  }
}

async function violationsOf(page: Page): Promise<readonly unknown[]> {
  // A page without frames is analysed where it is: putting the parts of frames together takes a page of its own.
  const isAlone = page.frames().length === 1;
  const isLoaded = isAlone && (await page.evaluate(() => 'axe' in globalThis));
  const axe = new AxeBuilder(isLoaded ? { page, axeSource: LOADED } : { page });
  const { violations } = await axe.options(VIOLATIONS_ONLY).withTags(WCAG).setLegacyMode(isAlone).analyze();
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder === undefined) return;
  await page.screenshot({ path: join(folder, `${name.replaceAll(' ', '-')}.png`), fullPage: true });
}

/** A screen of a site with charts, on paper: it says whose it is, cuts off no chart, and offers nothing to press. */
export async function checkPaper(page: Page, site: string): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  const charts = await page.evaluate(() => {
    // Nothing is drawn anew for paper, which is narrower.
    document.body.style.width = '500px';
    const plots = [...document.querySelectorAll('figure [role=slider]')];
    const cut = plots.filter((plot) => plot.scrollWidth > plot.clientWidth);
    document.body.style.width = '';
    return { are: plots.length > 0, cut: cut.length };
  });
  expect(charts).toEqual({ are: true, cut: 0 });
  await page.getByText(site).waitFor();
  expect(await page.getByRole('button').count()).toBe(0);
  await page.emulateMedia({ media: null });
}

/** A refusal that the running product cannot be made to give, until `page.unroute` of the same pattern. */
export async function refuse(page: Page, path: string, status: number, details = {}): Promise<void> {
  await page.route(`**${path}**`, (route) =>
    route.fulfill({
      status,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'X-Request-Id',
        'x-request-id': 'request-of-the-test',
      },
      json: { success: false, error: { code: 'TEST', message: 'Said by the test.', details } },
    }),
  );
}

/** The next request to the address is done, and its answer is lost. */
export async function loseAnswer(page: Page, address: string): Promise<void> {
  const lose = async (route: Route): Promise<void> => {
    await route.fetch();
    await route.abort();
  };
  await page.route(address, lose, { times: 1 });
}

/** @returns how many times the page has shown from now on, drawn again or anew */
export function countTimes(page: Page) {
  return page.evaluateHandle(() => {
    const drawn = { times: 0 };
    const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format') ?? {};
    Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
      get(this: Intl.DateTimeFormat) {
        drawn.times += 1;
        return get?.call(this) as unknown;
      },
    });
    return drawn;
  });
}

/** Everything that the page could have kept where it stays: its stores, cookies, address and content. */
export async function keptBy(page: Page): Promise<string> {
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  );
  return `${kept} ${page.url()} ${await page.content()}`;
}

/** Until a secret is in no part of the page, nor in its heap. A dialog leaves the page after its `close` event. */
export async function untilForgotten(page: Page, secret: string): Promise<void> {
  const patience = { timeoutMs: CHROMIUM_PATIENCE_MS };
  await eventually(async () => !(await keptBy(page)).includes(secret), patience);
  await eventually(async () => !(await heapHolds(page, secret)), patience);
}

/** Whether any string of the page's heap holds the text. */
async function heapHolds(page: Page, text: string): Promise<boolean> {
  const devtools = await page.context().newCDPSession(page);
  let snapshot = '';
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => (snapshot += chunk));
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await devtools.detach();
  return snapshot.includes(text);
}
