import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import type { EventProof } from '../types.js';
import { type OtherBrowser, otherBrowsers } from './other-browsers.js';
import type { Shop } from './shop.js';
import type { StoredEvent } from './stored-events.js';

const ABRUPT_VISITS = 10;

interface Parts {
  readonly shop: Shop;
  /** A page's head that begins with decorated links. */
  readonly head: string;
  readonly stored: () => Promise<readonly StoredEvent[]>;
}

/** The main promises in the other browsers that this machine has; Chromium has all suites. */
export function otherBrowsersSuite(searchPath: string, parts: () => Parts): void {
  for (const [name, open] of otherBrowsers(searchPath))
    describe(`the SDK in ${name}`, () => {
      let browser: OtherBrowser;

      beforeAll(async () => {
        browser = await open();
      });

      afterAll(() => browser.close());

      it(`an event is proved, links are decorated, and no click is lost when ${name} leaves a page at once`, async () => {
        const { shop, head, stored } = parts();
        const body = `<a id="partner" data-svc-partner-provider="awin" href="https://www.awin.example/go?a=1">P</a>
        <button onclick="truetally.track('add_to_cart', { product_id: 'SKU-1' })">Buy</button>`;
        shop.pages.set('/other', { head, body });
        await browser.visit(`${shop.origin}/other`);
        await eventually(async () =>
          /^\?a=1&clickref=[0-9a-f]{32}$/.test(
            await browser.evaluate("document.getElementById('partner').search"),
          ),
        );
        const id = await browser.evaluate("truetally.track('product_view', { product_id: 'SKU-1' })");
        const [proof] = await browser.evaluate<readonly EventProof[]>('truetally.flush()');
        expect(proof).toMatchObject({ client_event_id: id, status: 'stored' });
        for (let index = 0; index < ABRUPT_VISITS; index += 1) {
          await browser.evaluate("void document.querySelector('button').click()");
          await browser.visit(`${shop.origin}/other?${index}`);
        }
        await browser.evaluate('truetally.flush()');
        expect(await stored()).toHaveLength(1 + ABRUPT_VISITS);
      });
    });
}
