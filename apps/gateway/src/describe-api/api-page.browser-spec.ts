import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TESTED_CHROMIUM_FLAGS } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { type Browser, chromium, type Page } from 'playwright-core';
import { declaredRoutes } from '../application.js';

/** Of an answer that other processes give on a busy machine. */
const ANSWER_TIMEOUT_MS = 240_000;

describe('interface page, section 11: the API document for people', () => {
  let product: Product;
  let apiKey: string;
  let browser: Browser;
  let page: Page;
  let complaints: string[] = [];
  const hosts = new Set<string>();

  beforeAll(async () => {
    product = await sharedProduct();
    ({ key: apiKey } = await product.createApiKey(await product.createSite()));
    browser = await chromium.launch({
      executablePath: String(process.env['CHROMIUM_SHELL']),
      args: [...TESTED_CHROMIUM_FLAGS],
      timeout: ANSWER_TIMEOUT_MS,
    });
    // One page for all tests: to read and to draw the document is most of what they cost.
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(ANSWER_TIMEOUT_MS);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('request', (asked) => hosts.add(new URL(asked.url()).host));
    await page.goto(new URL('/api/docs', product.baseUrl).href);
    await page.locator('.opblock-tag').first().waitFor();
  });

  afterAll(async () => {
    await browser.close();
    await product.stop();
  });

  afterEach(() => {
    complaints = [];
  });

  // One operation for all tests: the viewer takes a second of a processor to open one.
  const track = () => page.locator('.opblock').filter({ hasText: 'trackEvent' }).first();
  const answer = () => track().locator('.live-responses-table');
  const area = (name: string) => page.locator(`.opblock-tag[data-tag="${name}"]`);

  it('the page lists every operation, asks no other host, and breaks no rule of its policy', async () => {
    let operations = 0;
    for (const one of await page.locator('.opblock-tag').all()) {
      await one.click();
      await page.locator('.opblock').first().waitFor();
      operations += await page.locator('.opblock').count();
      await one.click();
      await page.locator('.opblock').first().waitFor({ state: 'detached' });
    }
    expect(operations).toBe(declaredRoutes().length);
    await area('events').click();
    await track().locator('.opblock-summary-control').click();
    await track().getByText('client_event_id').first().waitFor();
    expect(complaints).toEqual([]);
    expect([...hosts].filter((host) => host !== '' && host !== new URL(product.baseUrl).host)).toEqual([]);
  });

  it('a request without a key shows its refusal', async () => {
    await track().getByRole('button', { name: 'Execute' }).click();
    await answer().getByText('UNAUTHORIZED').first().waitFor();
    // The browser itself reports a refused request.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  });

  it('an operation is tried with a typed key, and its answer is shown', async () => {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const form = page.locator('.auth-container').filter({ hasText: 'X-API-Key' });
    await form.locator('input').fill(apiKey);
    await form.getByRole('button', { name: 'Apply credentials' }).click();
    await form.getByRole('button', { name: 'Close' }).click();
    const event = {
      event_type: 'page_view',
      session_id: 'tried-on-the-page',
      context: { page_url: 'https://shop.example/', user_agent: 'page' },
    };
    await track().locator('textarea').first().fill(JSON.stringify(event));
    await track().getByRole('button', { name: 'Execute' }).click();
    await answer().getByText('"event_id"').first().waitFor();
    expect(await answer().locator('.response-col_status').last().innerText()).toContain('201');
    expect(complaints).toEqual([]);
  });
});
