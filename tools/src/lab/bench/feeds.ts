import { randomUUID } from 'node:crypto';
import type { IntegrationResource } from '@truetally/contracts/management';
import { request } from '@truetally/processes';
import { Webhook } from 'standardwebhooks';
import { finishedJob } from './finished-job.js';
import { ask, openShop } from './management.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { Endpoints } from './webhook-endpoints.js';

export const FEED_PRODUCTS = 100_000;
/** Of so many products. */
const MOST_SECONDS = 60;
const MOST_UNCHANGED_SECONDS = 1;
const BYTES_PER_MEGABYTE = 1e6;

/** A catalogue that is read from a merchant's feed, and read again while it is the same. */
export async function feedRows(stack: ProductStack, endpoints: Endpoints, products: number): Promise<Row[]> {
  const site_id = await openShop(stack);
  const text = feedOf(products);
  endpoints.feeds.set('/feed', { tag: '"first"', text });
  const { id: integration_id } = await ask<IntegrationResource>(stack, 'integrations', {
    site_id,
    provider: 'product_feed',
    base_url: `${endpoints.url}/feed`,
  });
  const sync = async () => finishedJob(stack, await askForSync(stack, { site_id, integration_id }));
  const [first, second] = [await sync(), await sync()];
  const mostSeconds = (MOST_SECONDS * products) / FEED_PRODUCTS;
  if (first.job.stored !== products) throw new Error(`Of the feed ${first.job.stored} products were stored.`);
  return [
    {
      name: `a feed of ${products.toLocaleString('en')} products (${Math.round(text.length / BYTES_PER_MEGABYTE)} MB), until its job has ended`,
      figure: `${first.seconds.toFixed(1)} s, ${Math.round(products / first.seconds).toLocaleString('en')} products/s`,
      target: `≤ ${mostSeconds} s`,
      isMet: first.seconds <= mostSeconds,
    },
    {
      name: '— once more, unchanged',
      figure: `${second.seconds.toFixed(2)} s`,
      target: `≤ ${MOST_UNCHANGED_SECONDS} s`,
      isMet: second.seconds <= MOST_UNCHANGED_SECONDS,
    },
  ];
}

/** A feed of its own, of any size. */
export async function largeFeedRows(stack: ProductStack, products: number): Promise<Row[]> {
  const endpoints = await Endpoints.open();
  try {
    return await feedRows(stack, endpoints, products);
  } finally {
    endpoints.close();
  }
}

/** As a worker of the platform asks. */
async function askForSync({ baseUrl, workerSecret }: ProductStack, body: object): Promise<string> {
  const [id, at, text] = [randomUUID(), new Date(), JSON.stringify(body)];
  const begun = await request<{ job_id: string }>(`${baseUrl}/integrations/jobs/products.sync`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(workerSecret).sign(id, at, text),
    },
    body: text,
  });
  if (begun.body.data === undefined) throw new Error(`${begun.status} ${begun.text}`);
  return begun.body.data.job_id;
}

function feedOf(products: number): string {
  const items = Array.from(
    { length: products },
    (_, n) =>
      `<item><g:id>SKU-${n}</g:id><g:title>Merino jumper with a round neck, ${n}</g:title>` +
      `<g:link>https://shop.example/women/knitwear/${n}</g:link><g:price>79.90 EUR</g:price>` +
      `<g:image_link>https://cdn.shop.example/pictures/${n}/front.webp</g:image_link>` +
      '<g:availability>in_stock</g:availability><g:brand>Northerly</g:brand></item>',
  );
  return `<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>${items.join('\n')}</channel></rss>`;
}
