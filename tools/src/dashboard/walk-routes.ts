import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT, request } from '@truetally/processes';
import type { Browser } from 'playwright-core';
import { dataOf, ownerHeaders } from '../demo/second-shop/shop-client.js';
import { DashboardPage, launchChromium } from './dashboard-browser.js';
import { type DemoStack, openDemoStack } from './demo-stack.js';

const ROUTES_FILES = ['apps/dashboard/web/routes.tsx', 'apps/dashboard/web/shop-routes.ts'];
const WIDTHS = [1280, 390] as const;
const SCHEMES = ['light', 'dark'] as const;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** What a browser says of the refusals that the walk makes itself. */
const MADE_HERE = /Failed to load resource: the server responded with a status of 500/;
const EMPTY_SITE = 'Empty shop of the walk';

type State = 'data' | 'empty' | 'error';

interface Fault {
  readonly state: State;
  readonly route: string;
  readonly what: string;
}

/** How many of each. */
export interface Walk {
  readonly routes: number;
  readonly screens: number;
  readonly faults: number;
}

/**
 * Every route of the dashboard, found by following the links of its screens: with data, empty and refused, in both schemes and
 * at both widths. With a folder it leaves a picture of each.
 */
export async function walkRoutes(
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
  pictures?: string,
): Promise<Walk> {
  const stack = await openDemoStack(environment);
  const browser = await launchChromium(environment);
  try {
    const told = { say, pictures };
    const walkData = async () => {
      const data = await walkState(browser, stack, { state: 'data', site: stack.siteId, ...told });
      // Two walk what is refused, so that no processor waits for the other at the end.
      const known = [...data.addresses];
      const half = Math.ceil(known.length / 2);
      const errors = [known.slice(0, half), known.slice(half)].map((addresses) =>
        walkState(browser, stack, { state: 'error', site: stack.siteId, addresses, ...told }),
      );
      return [data, ...(await Promise.all(errors))];
    };
    const walkEmpty = async () => {
      return walkState(browser, stack, { state: 'empty', site: await emptySite(stack), ...told });
    };
    const [full, empty] = await Promise.all([walkData(), walkEmpty()]);
    const walked = [...full, empty];
    const routes = [...(full[0]?.addresses.keys() ?? [])];
    const missed = missedRoutes(routes).map((route): Fault => ({
      state: 'data',
      route,
      what: 'no link leads there',
    }));
    missed.forEach((fault) => say(describeFault(fault)));
    return {
      routes: routes.length,
      screens:
        walked.reduce((sum, { addresses }) => sum + addresses.size, 0) * WIDTHS.length * SCHEMES.length,
      faults: walked.reduce((sum, { faults }) => sum + faults, missed.length),
    };
  } finally {
    await browser.close();
    await stack.stop();
  }
}

interface Ways {
  readonly state: State;
  readonly site: string;
  readonly say: (line: string) => void;
  readonly pictures: string | undefined;
  /** By route; without them the links are followed. */
  readonly addresses?: readonly (readonly [string, string])[];
}

async function walkState(browser: Browser, stack: DemoStack, ways: Ways) {
  const shown = await DashboardPage.open(browser, stack, WIDTHS[0]);
  const addresses = new Map(ways.addresses ?? [['sites', `sites?site=${ways.site}`]]);
  let faults = 0;
  if (ways.state === 'error') await refuseReads(shown);
  // A map's iteration goes on with what is added to it.
  for (const [route, address] of addresses) {
    await shown.visit(address);
    if (ways.addresses === undefined) {
      for (const link of await shown.links()) {
        const [path = '', search = ''] = link.split('?');
        const of = new URLSearchParams(search);
        const found = routeOf(path) + (of.has('order') ? '?order' : '');
        if (!addresses.has(found)) addresses.set(found, link);
      }
    }
    for (const scheme of SCHEMES) {
      for (const width of WIDTHS) {
        const said = await shown.faults(scheme, width);
        const real = ways.state === 'error' ? said.filter((what) => !MADE_HERE.test(what)) : said;
        faults += real.length;
        for (const what of real) {
          ways.say(describeFault({ state: ways.state, route, what: `${scheme} ${width}: ${what}` }));
        }
        if (ways.pictures !== undefined) {
          const name = [route.replaceAll(/[^a-z-]+/g, '_'), ways.state, scheme, width].join('-');
          await shown.page.screenshot({ path: join(ways.pictures, `${name}.png`), fullPage: true });
        }
      }
    }
  }
  await shown.context.close();
  ways.say(`${ways.state}: ${addresses.size} routes walked`);
  return { addresses, faults };
}

function describeFault({ state, route, what }: Fault): string {
  return `FAILED: ${route} (${state}) ${what}`;
}

/** Who the reader is and which sites there are is answered; everything else fails as no server does on demand. */
async function refuseReads({ page }: DashboardPage): Promise<void> {
  await page.route(/\/api\/v1\/(?!workspaces(\?|$)|sites(\?|$))/, (route) =>
    route.fulfill({
      status: 500,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'authorization, x-workspace-id',
        'access-control-expose-headers': 'X-Request-Id',
        'x-request-id': 'request-of-the-walk',
      },
      json: { success: false, error: { code: 'INTERNAL_ERROR', message: 'An internal error.', details: {} } },
    }),
  );
}

/** A site without anything, that of an earlier walk where there is one. */
async function emptySite(stack: DemoStack): Promise<string> {
  const headers = ownerHeaders(stack);
  const url = `${stack.baseUrl}/sites`;
  type Site = { readonly id: string; readonly name: string };
  const sites = await request<{ readonly items: readonly Site[] }>(`${url}?limit=200`, { headers });
  const known = dataOf(url, sites).items.find(({ name }) => name === EMPTY_SITE);
  if (known !== undefined) return known.id;
  const json = {
    name: EMPTY_SITE,
    domain: 'empty.localhost',
    allowed_origins: ['http://empty.localhost:3000'],
  };
  return dataOf(url, await request<Site>(url, { headers, json })).id;
}

function routeOf(path: string): string {
  return path.replaceAll(UUID, ':id');
}

/** Routes of the page that the walk never came to. */
function missedRoutes(walked: readonly string[]): string[] {
  const text = ROUTES_FILES.map((file) => readFileSync(join(REPOSITORY_ROOT, file), 'utf8')).join('');
  const declared = [...text.matchAll(/ path: '\/([^']+)'/g)].map(([, path = '']) =>
    path.replaceAll(/\$\w+/g, ':id'),
  );
  return declared.filter((path) => !walked.includes(path));
}
