import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { fileOfSize } from './testing/file-of-size.js';
import { checkScreen, type OpenedPages, quiet, refuse } from './testing/opened-pages.js';
import type { Shop } from './testing/shop.js';
import { shopScreens } from './testing/shop-screens.js';
import { WebhookPlace } from './testing/webhook-place.js';

const WAIT = { timeoutMs: 240_000 };
const HOSTILE = '<img src=x onerror=alert(1)></script>';
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

interface Campaign {
  readonly id: string;
  readonly version: number;
}

const screens = shopScreens();
const { visit } = screens;
let shop: Shop;
let pages: OpenedPages;
let context: BrowserContext;
let page: Page;

beforeAll(() => {
  ({ shop, pages } = screens);
});

beforeEach(() => {
  ({ context, page } = screens);
});

const isWrong = (label: string) => async (): Promise<boolean> =>
  (await page.getByLabel(label, { exact: true }).getAttribute('aria-invalid')) === 'true';

describe('screens of campaigns in a browser', () => {
  /** The last message that the preview's frame was sent. */
  async function previewed(): Promise<{ readonly frame: Frame; readonly content: unknown }> {
    const frame = await eventually(
      () => page.frames().find((one) => one.url().endsWith('/preview.html')),
      WAIT,
    );
    const content = await eventually(
      () => frame.evaluate(() => (globalThis as { seen?: { readonly content: unknown } }).seen?.content),
      WAIT,
    );
    return { frame, content };
  }

  it('an overlay is edited beside its preview, refused at its fields, saved as previewed, and checked for a visit', async () => {
    await context.addInitScript(() =>
      addEventListener('message', ({ data }) => Object.assign(globalThis, { seen: data as unknown })),
    );
    await visit('campaigns');
    await page.getByText('No campaign.').waitFor();
    await page.getByRole('link', { name: 'New overlay' }).click();
    const preview = page.frameLocator('iframe[title=Preview]');
    await page.getByLabel('Name', { exact: true }).fill('Welcome');
    const title = page.getByLabel('Title', { exact: true });
    await title.pressSequentially('W');
    await preview.getByRole('heading', { name: 'W', exact: true }).waitFor();
    // The modal beside has appeared anew, and who types goes on typing.
    await page.keyboard.type('elcome');
    await preview.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect(await title.inputValue()).toBe('Welcome');
    await title.fill(HOSTILE);
    await page.getByLabel('Link’s label').fill('Look');
    await page.getByLabel('Link’s address').fill('javascript:alert(1)');
    await page.getByRole('button', { name: 'Add a question' }).click();
    await page.getByLabel('Answer 1 of question 1').fill('Large');
    await preview.getByText(HOSTILE).waitFor();
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
    expect(await preview.locator('img').count()).toBe(0);
    expect(await preview.getByRole('link').count()).toBe(0);
    await page.getByRole('button', { name: 'Add the campaign' }).click();
    await eventually(isWrong('Link’s address'), WAIT);
    expect(await isWrong('Question 1')()).toBe(true);
    const focused = page.locator(':focus');
    expect(await focused.getAttribute('name')).toBe('content.cta.url');
    await page.getByText('The marked fields are refused. Request').waitFor();
    await checkScreen(page, 'New campaign refused');

    await page.getByLabel('Link’s address').fill('https://shop.example/cups');
    await page.getByLabel('Question 1', { exact: true }).fill('Which size?');
    await page.getByLabel('Result 1', { exact: true }).fill('The large cup');
    await page.getByLabel('Status', { exact: true }).selectOption('active');
    await page.getByLabel('Pages', { exact: true }).fill('/cups');
    await page.getByLabel('From (Europe/Berlin)').fill('2026-03-29T00:00');
    // By its key: a click waits for the frame to be drawn, which the shell of Chromium does not do with a sandboxed one.
    await preview.getByRole('link', { name: 'Look' }).press('Enter');
    await preview.getByRole('link', { name: 'Look' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show it again' }).click();
    await preview.getByText('Which size?').waitFor();
    const { content } = await previewed();
    const saving = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Add the campaign' }).dblclick();
    const body = (await saving).postDataJSON() as { readonly content: object; readonly schedule: object };
    expect(body.content).toEqual(content);
    expect(body.schedule).toEqual({ from: '2026-03-28T23:00:00.000Z' });
    await page.getByRole('heading', { level: 1, name: 'Campaign', exact: true }).waitFor();

    const check = page.getByRole('region', { name: 'Would this visit see it?' });
    await check.getByText('No: the page’s address holds none of its parts.').waitFor();
    await check.getByLabel('Page’s address').fill('https://shop.example/cups/1');
    await check.getByText('Yes.').waitFor();
    await check.getByLabel('Device').selectOption('mobile');
    await page.getByLabel('desktop', { exact: true }).check();
    await check.getByText('No: the device is none of its devices.').waitFor();
    await preview.getByText('Which size?').waitFor();
    await checkScreen(page, 'Campaign');
    expect(pages.complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('a campaign that somebody else changed is not overwritten: theirs stands beside mine', async () => {
    await refuse(page, '/partner-experiments', 500);
    await visit('campaigns');
    // Nobody has said that it is in none.
    await page.getByRole('cell', { name: 'not known', exact: true }).waitFor();
    await page.unroute('**/partner-experiments**');
    await visit('campaigns');
    expect(await page.getByRole('region', { name: 'campaigns' }).getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'Welcome' }).click();
    const preview = page.frameLocator('iframe[title=Preview]');
    await page.getByLabel('Title', { exact: true }).fill('Mine');
    await preview.getByRole('heading', { name: 'Mine' }).waitFor();
    const path = `campaigns/${new URL(page.url()).pathname.split('/').at(-1)}`;
    const content = { title: 'Theirs', body: 'Theirs' };
    const { version } = await shop.ask<Campaign>(path, { content }, 'PATCH');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('It was changed meanwhile.').waitFor();
    const rows = page.getByRole('region', { name: 'differences' }).getByRole('row');
    expect((await rows.allTextContents()).join()).toMatch(/^\w+,\S+titleMineTheirs,\S+bodynoneTheirs$/);
    await checkScreen(page, 'Campaign in conflict');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const saved = await shop.ask<Campaign & { readonly content: object }>(path, undefined, 'GET');
    expect(saved).toMatchObject({ version: version + 1, content: { title: 'Mine', layout: 'modal' } });
    // Nothing of theirs stays that mine does not have.
    expect(saved.content).not.toHaveProperty('body', 'Theirs');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByLabel('Type Welcome to delete it').fill('Welcome');
    await page.getByRole('button', { name: 'Delete it' }).click();
    // Also where the list was read a moment before.
    await page.getByText('No campaign.').waitFor();
  });

  it('a chatbot and recommendations are previewed as a shop shows them', async () => {
    await visit('campaigns/new');
    await page.goto(`${page.url()}&type=chatbot`);
    await page.getByLabel('Greeting').fill('Hello there');
    const preview = page.frameLocator('iframe[title=Preview]');
    await preview.getByRole('button', { name: 'Chat' }).click();
    await preview.getByText('Hello there').waitFor();
    await page.goto(page.url().replace('chatbot', 'recommendation'));
    await page.getByLabel('How many').fill('none');
    await page.getByLabel('Name', { exact: true }).fill('Beside');
    await page.getByRole('button', { name: 'Add the campaign' }).click();
    await eventually(isWrong('How many'), WAIT);
  });
});

describe('screens of what a shop shows in a browser', () => {
  it('products are uploaded with their counts, and a refused one is named by its place in the file', async () => {
    await visit('products');
    await page.getByText('or add a product feed.').waitFor();
    const field = page.getByLabel('Upload products');
    const upload = (text: string): Promise<void> =>
      field.setInputFiles({ name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const header = 'product_id,title,price,currency\n';
    await upload(`${header}cup,"A cup, large",12.5,EUR\npot,A pot,0.001,IQD\n`);
    await page.getByText('2 of 2 products stored: 2 created, 0 updated.').waitFor();
    const table = page.getByRole('region', { name: 'products', exact: true });
    for (const cell of ['A cup, large', '12.50 EUR', '0.001 IQD']) await table.getByText(cell).waitFor();
    await upload(`${header}cup,A cup,12.5,EUR\nlid,A lid,1,EUR\n`);
    await page.getByText('2 of 2 products stored: 1 created, 1 updated.').waitFor();
    await upload(`${header}cup,A cup,12.555,EUR\n`);
    await page.getByText('products.0.price').waitFor();
    await upload('nothing');
    await page.getByText('The file is no list of products').waitFor();
    await field.setInputFiles(fileOfSize('products.csv', 32 * 1024 * 1024 + 1));
    await page.getByText('The file is larger than 32 MiB').waitFor();
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
    await page.getByRole('button', { name: /^Delete [0-9a-f-]{36}$/ }).click();
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
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^\uFEFFid,.*ada@shop\.example/s);
    await page.getByLabel('Session').fill('nobody');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No submission.').waitFor();
    await quiet(page);
    expect(pages.complaints).toEqual([]);
  });
});

describe('an answer that is lost on its way to the browser', () => {
  it('a workflow whose answer is lost is made once, and its secret is said to be lost', async () => {
    const place = await WebhookPlace.open();
    await visit('workflows/new');
    await page.getByLabel('Name', { exact: true }).fill('Lost');
    await page.getByRole('textbox', { name: 'Address' }).fill(place.url);
    await page.route(
      '**/api/v1/workflows',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Add the workflow' }).click();
    await page.getByText('Whether anything was changed is not known').waitFor();
    await page.getByRole('button', { name: 'Add the workflow' }).click();
    await page.getByText(/answer that held it was lost: .* make a new secret on its page/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await visit('workflows');
    await page.getByText('Shown workflows: 1').waitFor();
    await place.close();
  });
});

describe('the frame of every screen in a browser', () => {
  it('another workspace is made where one is chosen, refused at its name, kept over a sign-in, and is the chosen one behind it', async () => {
    const isOfShop = ({ pathname }: URL): boolean => pathname.includes(shop.workspaceId);
    await visit('members');
    await page.getByRole('banner').getByRole('button', { name: 'New workspace' }).click();
    const name = page.getByRole('dialog', { name: 'New workspace' }).getByLabel('Name', { exact: true });
    await name.fill(' ');
    await page.getByRole('button', { name: 'Make it' }).click();
    await eventually(async () => (await name.getAttribute('aria-invalid')) === 'true', WAIT);
    await checkScreen(page, 'New workspace');
    await name.fill('One more workspace');
    // As a renewal of the sign-in does.
    await page.reload();
    await name.waitFor();
    expect(await name.inputValue()).toBe('One more workspace');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.waitForURL((url) => !isOfShop(url) && url.pathname.endsWith('/sites'));
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor();
    const choice = page.getByRole('combobox', { name: 'Workspace' });
    expect(await choice.locator('option:checked').textContent()).toBe('One more workspace');
    // The page begins with the last one, and not with the newest.
    await choice.selectOption(shop.workspaceId);
    await page.waitForURL(isOfShop);
    await page.goto(pages.home);
    await page.waitForURL(isOfShop);
  });

  it('the menu of a narrow screen closes by Escape, which leaves the focus at its button, and by a click elsewhere', async () => {
    await visit('members');
    await page.setViewportSize({ width: 390, height: 800 });
    const menu = page.getByRole('button', { name: 'Screens' });
    const overview = page.getByRole('navigation').getByRole('link', { name: 'Overview' });
    await menu.click();
    await overview.focus();
    await page.keyboard.press('Escape');
    await overview.waitFor({ state: 'hidden' });
    expect(await menu.evaluate((element) => element === document.activeElement)).toBe(true);
    await menu.click();
    await overview.waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await overview.waitFor({ state: 'hidden' });
    expect(pages.complaints).toEqual([]);
  });

  it('the header has one row where its choices fit into it, else two, and its choices keep their names', async () => {
    await visit('members');
    for (const [width, rows] of [[390, 2] as const, [769, 2] as const, [1120, 1] as const]) {
      await page.setViewportSize({ width, height: 800 });
      for (const name of ['Workspace', 'Site', 'Colours'])
        await page.getByRole('combobox', { name }).waitFor();
      const controls = await page.getByRole('banner').locator('select, button').all();
      const boxes = await Promise.all(controls.map((control) => control.boundingBox()));
      const middles = boxes.map((box) => Math.round((box?.y ?? 0) + (box?.height ?? 0) / 2));
      expect(new Set(middles).size).toBe(rows);
    }
  });
});
