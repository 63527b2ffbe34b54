import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { keptBy, refuse } from './testing/opened-pages.js';
import { shopScreens } from './testing/shop-screens.js';

const screens = shopScreens();
const { visit } = screens;
let context: BrowserContext;
let page: Page;

beforeEach(() => {
  ({ context, page } = screens);
});

describe('ways through the dashboard', () => {
  it('a screen whose code is not here yet says so while the browser is offline, and comes by itself after it', async () => {
    await visit('orders');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Funnel', exact: true }).click();
    await page.getByText('The browser is offline.').waitFor();
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    await page.getByRole('link', { name: 'Funnel', exact: true }).click();
    await page.getByText('The browser is offline.').waitFor();
    await context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Funnel' }).waitFor();
  });

  it('a screen whose code nobody serves says so, also when tried again, and comes once it is served', async () => {
    await visit('orders');
    const nobody = (route: Route): Promise<void> => route.abort('connectionrefused');
    await context.route('**/dashboard/**', nobody);
    await page.getByRole('link', { name: 'Ledger', exact: true }).click();
    await page.getByText('The dashboard’s server cannot be reached.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('There is still no answer').waitFor();
    await context.unroute('**/dashboard/**', nobody);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
  });

  it('profiles are saved as a table, those of the address alone', async () => {
    await visit('profiles?user_id=ada');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save these as CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('profiles-shop.example.csv');
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^\uFEFFid,user_id,[^\n]*\r\n$/);
  });

  it('a step of a funnel has the focus still when another type was chosen', async () => {
    await visit('funnel');
    const step = page.getByLabel('Step 2');
    await step.focus();
    await step.selectOption('search');
    await page.waitForURL(/search/);
    expect(await step.evaluate((field) => field === document.activeElement)).toBe(true);
  });

  it('a screen that nothing is answered to says within seconds that it still waits', async () => {
    const silent = '**/partner-attribution/touches?*';
    await visit('orders');
    await page.route(silent, () => undefined);
    await page.clock.install();
    const asked = page.waitForRequest(silent);
    await page.getByRole('link', { name: 'Touches', exact: true }).click();
    await asked;
    await page.clock.fastForward(10_000);
    await page.getByText('The service has not answered yet.').waitFor();
    await screens.spendPage();
  });

  it('what is typed comes back when the page had to be left, and a secret never', async () => {
    await visit('members');
    await page.getByLabel('Name of the workspace').fill('Half a name');
    await visit('integrations');
    await page.getByRole('button', { name: 'Add an integration' }).click();
    await page.getByLabel('Publisher id').fill('4815');
    await page.getByLabel('API token').fill('a-token-of-the-network');
    await page.reload();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Publisher id').inputValue()).toBe('4815');
    expect(await dialog.getByLabel('API token').inputValue()).toBe('');
    expect(await keptBy(page)).not.toContain('a-token-of-the-network');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await visit('members');
    expect(await page.getByLabel('Name of the workspace').inputValue()).toBe('Half a name');
  });

  it('what is typed for a provider is there still when another one was chosen in between', async () => {
    await visit('integrations');
    await page.getByRole('button', { name: 'Add an integration' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Publisher id').fill('4815');
    await dialog.getByLabel('Provider').selectOption('product_feed');
    await dialog.getByLabel('User name').fill('ada');
    await dialog.getByLabel('Provider').selectOption('cj');
    expect(await dialog.getByLabel('Publisher id').inputValue()).toBe('4815');
    await page.reload();
    expect(await dialog.getByLabel('Publisher id').inputValue()).toBe('4815');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('a list has the focus when the row is gone in which it was', async () => {
    const { shop } = screens;
    const member = { email: 'gone@shop.example', role: 'analyst' };
    await shop.ask(`workspaces/${shop.workspaceId}/members`, member);
    await visit('members');
    await page.getByRole('button', { name: 'Remove gone@shop.example' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'members' }).and(page.locator(':focus')).waitFor();
  });

  it('a refusal of a list in a form as a whole stands above the form', async () => {
    await visit('workflows/new');
    await refuse(page, '/api/v1/workflows', 400, { 'trigger.conditions': ['must have at most 20 items'] });
    await page.getByRole('button', { name: 'Add the workflow' }).click();
    await page.getByText('must have at most 20 items').waitFor();
  });

  it('a sign-out takes away at once what is shown, and says so where the issuer could not be told', async () => {
    await visit('sites');
    const silent = Promise.withResolvers<undefined>();
    await page.route('**/*openid-configuration*', (route) => silent.promise.then(() => route.abort()));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Signing out' }).waitFor();
    expect(await page.content()).not.toContain('Site id');
    silent.resolve(undefined);
    await page.getByText('there you may still be signed in').waitFor();
    // Nobody is asked who is signed in: an issuer that is silent still keeps nobody waiting.
    await page.unroute('**/*openid-configuration*');
    await page.route('**/*openid-configuration*', () => undefined);
    await page.reload();
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    await screens.spendPage();
  });
});
