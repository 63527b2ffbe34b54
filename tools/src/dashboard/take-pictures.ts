import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT, request } from '@truetally/processes';
import { dataOf, ownerHeaders } from '../demo/second-shop/shop-client.js';
import { DashboardPage, launchChromium } from './dashboard-browser.js';
import { type DemoStack, openDemoStack } from './demo-stack.js';

const FOLDER = 'docs/guides/pictures';
const MAX_BYTES = 150_000;
const WIDTH = 1160;
const ORDER = 'NY-THREE';
/** What is needed of an element: this program has no types of a browser's globals. */
interface Shown {
  scrollIntoView(isAtTop: boolean): void;
}

/** The four pictures of the README, from the demo's data: overview, an order just verified, results, live events. */
export async function takePictures(
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  const stack = await openDemoStack(environment);
  const browser = await launchChromium(environment);
  const folder = join(REPOSITORY_ROOT, FOLDER);
  mkdirSync(folder, { recursive: true });
  try {
    const shown = await DashboardPage.open(browser, stack, WIDTH);
    const { page } = shown;
    const take = async (name: string): Promise<void> => {
      const path = join(folder, `${name}.png`);
      await page.screenshot({ path });
      const { size } = statSync(path);
      if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MAX_BYTES}.`);
      say(`${FOLDER}/${name}.png: ${(size / 1000).toFixed(0)} KB`);
    };
    await shown.visit(`overview?site=${stack.siteId}`);
    await take('overview');
    await shown.visit(`orders?site=${stack.siteId}&order=${ORDER}`);
    const verify = page.getByRole('button', { name: 'Verify in my browser' });
    await verify.click();
    const verified = page.getByText('Sound', { exact: false }).first();
    await verified.waitFor();
    await verified
      .locator('xpath=ancestor::div[1]')
      .evaluate((element: Shown) => element.scrollIntoView(false));
    await take('order-verified');
    await shown.visit(`partner-experiments/${await runningExperiment(stack)}?site=${stack.siteId}`);
    await page
      .getByRole('heading', { name: 'Treatment less control' })
      .evaluate((element: Shown) => element.scrollIntoView(true));
    await take('results');
    await shown.visit(`live?site=${stack.siteId}`);
    // What is stored before the stream is open is not sent by it.
    await page.getByText('Live', { exact: true }).waitFor();
    await sendEvents(stack);
    await page.getByRole('region', { name: 'live events' }).getByText('search').first().waitFor();
    await take('live-events');
  } finally {
    await browser.close();
    await stack.stop();
  }
}

async function runningExperiment(stack: DemoStack): Promise<string> {
  const url = `${stack.baseUrl}/partner-experiments?site_id=${stack.siteId}&state=running`;
  type Page = { readonly items: readonly { readonly id: string }[] };
  const { items } = dataOf(url, await request<Page>(url, { headers: ownerHeaders(stack) }));
  return items[0]?.id ?? '';
}

/** A few visitors come by while the stream is open. */
async function sendEvents(stack: DemoStack): Promise<void> {
  const path = `${stack.baseUrl}/sites/${stack.siteId}/api-keys`;
  const json = { name: 'Pictures', scopes: ['events:write'] };
  const { id, key } = dataOf(
    path,
    await request<{ readonly id: string; readonly key: string }>(path, {
      headers: ownerHeaders(stack),
      json,
    }),
  );
  const events = ['page_view', 'product_view', 'add_to_cart', 'search'].flatMap((type) =>
    [1, 2, 3].map((visitor) => ({
      event_type: type,
      session_id: `visitor-${visitor}`,
      properties: { product_id: 'SKU-1', query: 'espresso cup' },
      context: {
        page_url: 'http://ny.localhost:3000/products/sku-1',
        user_agent: 'Mozilla/5.0 (X11) Firefox/140.0',
      },
    })),
  );
  const url = `${stack.baseUrl}/events/batch`;
  dataOf(url, await request(url, { headers: { 'x-api-key': key }, json: { events } }));
  await request(`${path}/${id}`, { method: 'DELETE', headers: ownerHeaders(stack) });
}
