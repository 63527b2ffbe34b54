import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { sharedProduct } from '@truetally/testing-product';
import type { BrowserContext, Page } from 'playwright-core';
import { OpenedPages } from './opened-pages.js';
import { Shop } from './shop.js';

export const OWNER = 'demo-owner';

/**
 * What a suite of screens stands on: the pages of the running product, a shop of its own, and its owner's page, which all
 * tests share. None goes on with what another one was typing, or with the answers that it has put in place of others.
 */
interface ShopScreens {
  readonly pages: OpenedPages;
  readonly shop: Shop;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Of the shop's workspace, with its site: `orders?state=cancelled`. */
  visit(path: string, visited?: Page): Promise<void>;
  /** What the test does to its page stays, so that the next one has another; its first visit begins a document. */
  spendPage(): Promise<void>;
}

/** Registers the hooks of a suite; what it returns holds the members when they have run. */
export function shopScreens(): ShopScreens {
  const screens = {} as { -readonly [member in keyof ShopScreens]: ShopScreens[member] };
  let isSpent = true;
  beforeAll(async () => {
    const product = await sharedProduct();
    [screens.pages, screens.shop] = await Promise.all([OpenedPages.open(product), Shop.open(product, OWNER)]);
  });
  afterAll(async () => {
    await screens.pages.close();
    await screens.pages.product.stop();
  });
  beforeEach(async () => {
    screens.pages.complaints = [];
    if (!isSpent) return;
    isSpent = false;
    screens.context = await screens.pages.newContext();
    screens.page = await screens.pages.newPage(screens.context);
    await screens.pages.signIn(screens.page, OWNER);
  });
  afterEach(async () => {
    if (isSpent) return screens.context.close();
    await screens.page.unrouteAll({ behavior: 'ignoreErrors' });
    await screens.page.evaluate(() => sessionStorage.clear());
  });
  screens.spendPage = async () => {
    isSpent = true;
    await screens.page.goto('about:blank');
  };
  screens.visit = (path, visited = screens.page) => {
    const { shop, pages } = screens;
    const [screen = '', search = ''] = path.split('?');
    return pages.visit(visited, shop.workspaceId, `${screen}?site=${shop.site.id}&${search}`);
  };
  return screens;
}
