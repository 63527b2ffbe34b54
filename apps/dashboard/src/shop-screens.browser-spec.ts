import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import type { BrowserContext, Page } from 'playwright-core';
import { checkScreen, OpenedPages, quiet } from './testing/opened-pages.js';
import { Shop } from './testing/shop.js';

const WAIT = { timeoutMs: 240_000 };
const HOSTILE = '<img src=x onerror=alert(1)></script>';
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

interface Campaign {
  readonly id: string;
}

let product: Product;
let pages: OpenedPages;
let shop: Shop;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  product = await sharedProduct();
  [pages, shop] = await Promise.all([OpenedPages.open(product), Shop.open(product, 'demo-owner')]);
});

afterAll(async () => {
  await pages.close();
  await product.stop();
});

beforeEach(async () => {
  context = await pages.newContext();
  page = await pages.newPage(context);
  await pages.signIn(page, 'demo-owner');
});

afterEach(() => context.close());

const visit = (path: string): Promise<void> =>
  pages.visit(page, shop.workspaceId, `${path}?site=${shop.site.id}`);

describe('screens of what a shop shows in a browser', () => {
  it('products are uploaded with their counts, and a refused one is named by its place in the file', async () => {
    await visit('products');
    await page.getByText('No product yet.').waitFor();
    const upload = async (text: string): Promise<void> =>
      page
        .getByLabel('Upload products')
        .setInputFiles({ name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const header = 'product_id,title,price,currency\n';
    await upload(`${header}cup,"A cup, large",12.5,EUR\npot,A pot,0.001,IQD\n`);
    await page.getByText('2 of 2 products stored: 2 created, 0 updated.').waitFor();
    const table = page.getByRole('region', { name: 'products', exact: true });
    await table.getByText('A cup, large').waitFor();
    await table.getByText('12.50 EUR').waitFor();
    await table.getByText('0.001 IQD').waitFor();
    await upload(`${header}cup,A cup,12.5,EUR\nlid,A lid,1,EUR\n`);
    await page.getByText('2 of 2 products stored: 1 created, 1 updated.').waitFor();
    await upload(`${header}cup,A cup,12.555,EUR\n`);
    await page.getByText('products.0.price').waitFor();
    await upload('nothing');
    await page.getByText('The file is no list of products').waitFor();
    await checkScreen(page, 'Products');
    await page.getByLabel('Product id').fill('lid');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('Shown products: 1').waitFor();
  });

  it('a picture is added with its size and shown, and what is no picture is refused', async () => {
    await visit('media');
    const choose = (buffer: Buffer): Promise<void> =>
      page.getByLabel('Add a picture').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer });
    await choose(Buffer.from('no picture'));
    await page.getByRole('alert').waitFor();
    await choose(Buffer.from(PIXEL, 'base64'));
    await page.getByText('Added: 1 × 1 pixels.').waitFor();
    const picture = page.getByRole('img', { name: '1 by 1 pixels' });
    await eventually(() => picture.evaluate((one) => (one as HTMLImageElement).naturalWidth === 1), WAIT);
    await checkScreen(page, 'Media');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('No picture yet.').waitFor();
    expect(pages.complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('submissions show the consent with its text and time, and are saved as a table', async () => {
    const campaign = await shop.ask<Campaign>('campaigns', {
      site_id: shop.site.id,
      type: 'overlay',
      name: 'Newsletter',
      status: 'active',
      content: { layout: 'corner', title: 'Newsletter' },
    });
    const token = await shop.runtimeToken();
    await eventually(
      () =>
        shop.fromPage(token, 'submissions', {
          campaign_id: campaign.id,
          session_id: 'visitor',
          fields: { email: 'ada@shop.example', note: HOSTILE },
          consent: { granted: true, text: 'Yes, write to me', at: '2026-03-29T00:30:00Z' },
        }),
      WAIT,
    );
    await visit('submissions');
    const table = page.getByRole('region', { name: 'submissions' });
    await table.getByText('“Yes, write to me”').waitFor();
    await table.getByText('29 Mar 2026, 01:30:00').waitFor();
    await table.getByText(HOSTILE).waitFor();
    await checkScreen(page, 'Submissions');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save these as CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('submissions-shop.example.csv');
    expect(readFileSync(await file.path(), 'utf8')).toContain('ada@shop.example');
    await page.getByLabel('Session').fill('nobody');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No submission.').waitFor();
    await quiet(page);
    expect(pages.complaints).toEqual([]);
  });
});
