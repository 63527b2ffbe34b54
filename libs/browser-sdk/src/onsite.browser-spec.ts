import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser, newContext } from './testing/launch-browser.js';
import { QUIZ } from './testing/quiz.js';
import { Shop } from './testing/shop.js';
import { SiteOwner } from './testing/site-owner.js';
import { type StoredEvent, storedEvents } from './testing/stored-events.js';
import { violations } from './testing/violations.js';
import { recommendationsSuite } from './testing/recommendations-suite.js';
import type { Attribution, SdkError } from './types.js';

/** Of what a page is told. */
const WELCOME = { layout: 'modal', title: 'Welcome', body: 'Ten <b>percent</b>' };
/** Not the headless one's, which is counted as a bot. */
const VISITOR = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

describe('what the SDK loads for some pages, against the running product', () => {
  let product: Product;
  let shop: Shop;
  let browser: Browser;
  let context: BrowserContext;
  let site: { readonly id: string; readonly workspace_id: string };
  let owner: SiteOwner;
  let policy: string;

  beforeAll(async () => {
    [product, shop, browser] = await Promise.all([
      sharedProduct(),
      Shop.open(),
      launchBrowser(process.env['CHROMIUM_SHELL']),
    ]);
  });

  afterAll(async () => {
    await browser.close();
    shop.close();
    await product.stop();
  });

  beforeEach(async () => {
    site = await product.createSite({ allowed_origins: [shop.origin] });
    owner = await SiteOwner.of(product, site, shop.origin);
    context = await newContext(browser, { userAgent: VISITOR });
    const { origin } = new URL(product.baseUrl);
    // Nothing inline, in scripts and in styles.
    policy = `default-src 'none'; script-src 'self' ${origin}; connect-src ${origin}; require-trusted-types-for 'script'; trusted-types truetally`;
    shop.scripts.set('/errors.js', 'errors = []; truetally.onError((error) => errors.push(error));');
    for (const [path, attributes] of [
      ['/', ''],
      ['/campaigns', 'data-campaigns'],
      ['/consent', 'data-campaigns data-consent="required"'],
    ] as const) {
      const head = headWith(attributes);
      shop.pages.set(path, { policy, head, body: '<button id="own" autofocus>Own</button>' });
    }
  });

  afterEach(() => context.close());

  const headWith = (attributes: string): string =>
    `<script src="${new URL(product.baseUrl).origin}/sdk/v1/truetally.js" data-site-id="${site.id}" ${attributes}></script><script src="/errors.js"></script>`;

  async function visit(path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(shop.origin + path);
    return page;
  }

  const errors = (page: Page): Promise<readonly SdkError[]> => page.evaluate('errors');
  const keysOf = (page: Page): Promise<readonly string[]> => page.evaluate('Object.keys(localStorage)');
  const landingsOf = async (page: Page): Promise<number> =>
    (await keysOf(page)).filter((key) => key.includes(':l.')).length;

  async function storedTypes(page: Page): Promise<readonly string[]> {
    await page.evaluate('truetally.flush()');
    return (await storedEvents(product, site.id)).map(({ event_type }) => event_type);
  }

  describe('a landing from a partner', () => {
    it('a landing is one touch for each click id, whatever is reloaded', async () => {
      const page = await visit('/?utm_source=x&awc=1234_5678_abc#top');
      await eventually(async () => (await landingsOf(page)) === 0);
      await page.reload();
      await eventually(async () => (await landingsOf(page)) === 0);
      await visit('/?cjevent=cj-77');
      const touches = await eventually(async () => {
        const all = await owner.touches();
        return all.length === 2 && all;
      });
      const { touch_ids, session_id } = await eventually(async () => {
        const known = await page.evaluate<Attribution>('truetally.attribution()');
        return known.touch_ids.length === 2 && known;
      });
      expect(touch_ids).toEqual(touches.map(({ touch_id }) => touch_id).toReversed());
      expect(session_id).toBe(touches[0]?.['session_id']);
      expect(touches).toMatchObject([
        { provider: 'cj', direction: 'inbound', landing_path: '/', provenance: 'browser_sdk' },
        { provider: 'awin', direction: 'inbound', session_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
      ]);
      expect(new Set(touches.map(({ session_id }) => session_id)).size).toBe(1);
      expect(JSON.stringify(await page.evaluate('({ ...localStorage })'))).not.toContain('5678_abc');
      expect(await errors(page)).toEqual([]);
    });

    it('a landing is kept when the visitor leaves before it is sent', async () => {
      await context.route('**/truetally-onsite*', (route) => route.abort());
      const page = await visit('/?awc=left-at-once');
      await eventually(async () => (await errors(page)).length > 0);
      expect(await errors(page)).toMatchObject([{ code: 'CHUNK_NOT_LOADED' }]);
      await page.close();
      await context.unroute('**/truetally-onsite*');
      await visit('/');
      expect(await eventually(async () => (await owner.touches())[0])).toMatchObject({ provider: 'awin' });
    });

    it('a lazy file that one server does not have is asked for again', async () => {
      await context.route('**/truetally-onsite*', (route) => route.fulfill({ status: 404 }), { times: 1 });
      await visit('/?awc=between-releases');
      expect(await eventually(async () => (await owner.touches())[0])).toMatchObject({ provider: 'awin' });
    });

    it('a landing is neither stored nor sent before consent', async () => {
      const page = await visit('/consent?awc=with-consent');
      expect(await keysOf(page)).toEqual([]);
      await page.evaluate("truetally.setConsent('granted')");
      expect(await eventually(async () => (await owner.touches())[0])).toMatchObject({ provider: 'awin' });
    });
  });

  describe('an overlay', () => {
    it('an overlay is a dialog that takes the focus, that Escape closes, and that is capped', async () => {
      await owner.launch('overlay', { ...WELCOME, frequency_cap_hours: 1 });
      const page = await visit('/campaigns');
      const dialog = page.getByRole('dialog', { name: 'Welcome' });
      await dialog.waitFor();
      expect(await dialog.innerText()).toContain('Ten <b>percent</b>');
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.activeElement.localName')).toBe('truetally-surface');
      // The style sheet is in force although the policy allows no style.
      expect(await dialog.evaluate((box) => getComputedStyle(box).backgroundColor)).toBe(
        'rgb(255, 255, 255)',
      );
      // It is no box among the shop's own: a page that shares out its height moves none of them.
      const host = page.locator('truetally-surface');
      expect(await host.evaluate((element) => getComputedStyle(element).display)).toBe('contents');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.id')).toBe('own');
      expect(await storedTypes(page)).toEqual(['overlay_impression', 'overlay_dismiss']);
      // The wait begins before the visit: the answer may arrive before the page's own load event.
      const answered = context.waitForEvent('response', (answer) =>
        answer.url().includes('/public/overlays?'),
      );
      const again = await visit('/campaigns');
      await answered;
      expect(await storedTypes(again)).toHaveLength(2);
      expect(await errors(page)).toEqual([]);
    });

    it('an overlay waits for a page whose own script still blocks its body', async () => {
      await owner.launch('overlay', WELCOME);
      const head = `${headWith('data-campaigns')}<script src="/slow.js"></script>`;
      shop.pages.set('/slow', { policy, head });
      const loaded = context.waitForEvent('requestfinished', (one) => one.url().includes('-onsite.'));
      await context.route('**/slow.js', async (route) => {
        await loaded;
        // What the SDK would ask meanwhile is answered by then.
        await owner.touches();
        await route.fulfill({ contentType: 'text/javascript', body: '' });
      });
      const page = await visit('/slow');
      await page.getByRole('dialog', { name: 'Welcome' }).waitFor();
      expect(await errors(page)).toEqual([]);
    });

    it('an overlay waits for its trigger and its turn, and counts the click of its link', async () => {
      const cta = { label: 'To the shoes', url: `${shop.origin}/` };
      await owner.launch('overlay', {
        layout: 'corner',
        title: 'At the end',
        trigger: { type: 'delay', value: 0 },
        cta,
      });
      await owner.launch('overlay', { layout: 'banner', title: 'First', cta });
      const page = await visit('/campaigns');
      const first = page.getByRole('region', { name: 'First' });
      await first.waitFor();
      expect(await page.getByRole('region').count()).toBe(1);
      expect(await violations(page)).toEqual([]);
      await page.getByRole('region').getByRole('button', { name: 'Close' }).click();
      const last = page.getByRole('region', { name: 'At the end' });
      await last.getByRole('link').click({ button: 'middle' });
      await last.waitFor({ state: 'detached' });
      const next = await visit('/campaigns');
      await next.getByRole('link', { name: 'To the shoes' }).click();
      await next.waitForURL(`${shop.origin}/`);
      const types = await storedTypes(next);
      expect(types).toEqual(expect.arrayContaining(['overlay_impression', 'overlay_dismiss']));
      expect(types.filter((type) => type === 'overlay_click')).toHaveLength(2);
    });

    it('an overlay of half the page waits for it, also where the page has no length yet', async () => {
      const trigger = { type: 'scroll', value: 50 };
      await owner.launch('overlay', { layout: 'banner', title: 'Halfway', trigger });
      await owner.launch('overlay', { layout: 'banner', title: 'At once' });
      const page = await visit('/campaigns');
      await page.getByRole('region', { name: 'At once' }).getByRole('button', { name: 'Close' }).click();
      expect(await page.getByRole('region').count()).toBe(0);
      await page.evaluate("document.body.style.height = '5000px'");
      await page.mouse.wheel(0, 5_000);
      await page.getByRole('region', { name: 'Halfway' }).waitFor();
    });

    it('an overlay asks its quiz by keyboard, and reports each step', async () => {
      const id = await owner.launch('overlay', { ...WELCOME, quiz: QUIZ });
      const page = await visit('/campaigns');
      const wide = page.getByRole('button', { name: 'Wide' });
      // The second press of a double click, on an answer that came under it by the first.
      await wide.dispatchEvent('click', { detail: 2 });
      await wide.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'For what?' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('The hiker').waitFor();
      await page.keyboard.press('Escape');
      await storedTypes(page);
      const ids = { campaign_id: id, overlay_id: id, quiz_id: 'fit' };
      const events: readonly StoredEvent[] = await storedEvents(product, site.id);
      expect(events.filter(({ event_type }) => event_type.startsWith('quiz'))).toEqual([
        expect.objectContaining({ event_type: 'quiz_start', properties: ids }),
        expect.objectContaining({ properties: { ...ids, question_id: 'feet', answer_id: 'wide' } }),
        expect.objectContaining({ properties: { ...ids, question_id: 'use', answer_id: 'trail' } }),
        expect.objectContaining({ event_type: 'quiz_complete', properties: { ...ids, result_id: 'hiker' } }),
      ]);
    });

    it('an overlay goes with the consent, in every tab', async () => {
      await owner.launch('overlay', WELCOME);
      const [one, other] = [await visit('/campaigns'), await visit('/campaigns')];
      for (const page of [one, other]) await page.getByRole('dialog').waitFor();
      await one.evaluate("truetally.setConsent('denied')");
      for (const page of [one, other]) await page.getByRole('dialog').waitFor({ state: 'detached' });
      await other.evaluate('truetally.page()');
      expect(await keysOf(other)).toEqual([]);
      expect(await other.evaluate('truetally.diagnostics().consent')).toBe('denied');
    });
  });

  it('a chatbot answers by keywords, and Escape gives the focus back', async () => {
    await owner.launch('chatbot', {
      greeting: 'Hello',
      answers: [{ keywords: ['Size'], text: 'It runs small.' }],
      handover: { email: 'help@shop.example' },
    });
    const page = await visit('/campaigns');
    const opener = page.getByRole('button', { name: 'Chat' });
    await opener.click();
    // As low as a screen is at its largest zoom.
    await page.setViewportSize({ width: 320, height: 256 });
    expect(await page.getByRole('dialog').evaluate((box) => box.getBoundingClientRect().top)).toBeGreaterThan(
      0,
    );
    const field = page.getByRole('textbox', { name: 'Your message' });
    await field.fill('Which size?');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('It runs small.').waitFor();
    await field.fill('<img src=x>');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('link', { name: 'help@shop.example' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await field.focus();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true);
    expect(await storedTypes(page)).toEqual(['chatbot_message', 'chatbot_message']);
  });

  recommendationsSuite(() => ({
    shop,
    owner,
    policy,
    head: headWith('data-campaigns'),
    visit,
    stored: () => storedEvents(product, site.id),
  }));

  describe('an experiment on an overlay', () => {
    let page: Page;

    beforeEach(async () => {
      await owner.launch('overlay', { layout: 'banner', title: 'For all' });
      page = await context.newPage();
    });

    it('a landing session of control is not shown the campaign', async () => {
      const measured = await owner.launch('overlay', WELCOME);
      await owner.measure(measured, 'control');
      await page.goto(`${shop.origin}/campaigns?awc=control`);
      await page.getByRole('region', { name: 'For all' }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await owner.touches()).toMatchObject([{ provider: 'awin' }]);
    });

    it('a landing session of treatment is shown the campaign as soon as its touch counts', async () => {
      const measured = await owner.launch('overlay', WELCOME);
      await owner.measure(measured, 'treatment');
      await page.goto(`${shop.origin}/campaigns?awc=treatment`);
      const [dialog, other] = [page.getByRole('dialog', { name: 'Welcome' }), page.getByRole('region')];
      await eventually(async () => {
        await dialog.or(other).first().waitFor();
        if ((await dialog.count()) === 1) return true;
        // On a busy machine the touch counts later than on this page.
        expect(await errors(page)).toMatchObject([{ code: 'NOT_ASSIGNED' }]);
        await page.goto(`${shop.origin}/campaigns`);
        return false;
      });
      expect(await errors(page)).toEqual([]);
    });

    it('a campaign of an experiment is not shown without an assignment in time, and that is reported', async () => {
      const measured = await owner.launch('overlay', WELCOME);
      await owner.measure(measured, 'treatment');
      await context.route('**/partner-experiments/assignments', () => undefined);
      await page.goto(`${shop.origin}/campaigns`);
      await page.getByRole('region', { name: 'For all' }).waitFor();
      expect(await errors(page)).toMatchObject([{ code: 'NOT_ASSIGNED' }]);
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });
});
