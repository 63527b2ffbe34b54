import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { EventProof } from '../types.js';
import type { Shop } from './shop.js';
import type { StoredEvent } from './stored-events.js';

interface LinkParts {
  readonly shop: Shop;
  readonly sdkUrl: string;
  /** A script that begins with `decorateLinks`. */
  readonly init: string;
  readonly visit: (path: string) => Promise<Page>;
  readonly flush: (page: Page) => Promise<readonly EventProof[]>;
  readonly stored: () => Promise<readonly StoredEvent[]>;
}

/** The decoration of links, in the browser of the suite that calls it: starting one takes long. */
export function linksSuite(parts: () => LinkParts): void {
  describe('the SDK that decorates links', () => {
    const MARKED = 'data-svc-partner-provider="awin"';

    beforeEach(() => {
      const { shop, sdkUrl, init } = parts();
      shop.pages.set('/links', {
        head: `<script src="${sdkUrl}"></script><script>${init}</script>`,
        body: `
          <a id="all" ${MARKED} data-svc-click-reference="ref 1" data-svc-partner-id="p" data-svc-campaign-id="c"
            data-svc-content-id="o" data-svc-placement-id="l" data-svc-creative-id="r"
            href="https://www.awin.example/go?a=%7e1&amp;b#top">Awin</a>
          <a id="cj" data-svc-partner-provider="cj" href="https://www.cj.example/go">CJ</a>
          <a id="present" ${MARKED} data-svc-click-reference="mine" href="https://www.awin.example/go?clickref=kept">P</a>
          <a id="other" data-svc-partner-provider="other" href="https://www.other.example/go">Other</a>
          <a id="plain" href="https://www.plain.example/go">Plain</a>
          <div id="late"></div>
          <script>addEventListener('click', (event) => event.preventDefault());
            addEventListener('auxclick', (event) => event.preventDefault())</script>`,
      });
    });

    const hrefOf = (page: Page, id: string): Promise<string> =>
      page.evaluate(`document.getElementById('${id}').href`);
    const untilDecorated = (page: Page, id: string): Promise<unknown> =>
      page.waitForFunction(`/clickref=|sid=/.test(document.getElementById('${id}').href)`);

    it('marked links of the allowed networks get their parameter once, and no other link', async () => {
      const page = await parts().visit('/links');
      await untilDecorated(page, 'cj');
      expect(await hrefOf(page, 'all')).toBe('https://www.awin.example/go?a=%7e1&b&clickref=ref%201#top');
      expect(await hrefOf(page, 'cj')).toMatch(/^https:\/\/www\.cj\.example\/go\?sid=[0-9a-f]{32}$/);
      expect(await hrefOf(page, 'present')).toBe('https://www.awin.example/go?clickref=kept');
      expect(await hrefOf(page, 'other')).toBe('https://www.other.example/go');
      expect(await hrefOf(page, 'plain')).toBe('https://www.plain.example/go');
      await page.evaluate(
        `document.getElementById('late').innerHTML = '<p><a id="new" ${MARKED} href="https://www.awin.example/new">New</a></p>'`,
      );
      await untilDecorated(page, 'new');
      await page.click('#all');
      await page.click('#all');
      expect((await hrefOf(page, 'all')).match(/clickref/g)).toHaveLength(1);
    });

    it('links of a page that has broken promises behind the script are decorated', async () => {
      const { shop, sdkUrl, init } = parts();
      shop.pages.set('/broken', {
        head: `<script src="${sdkUrl}"></script>
          <script>var kept = Promise; Promise = function () { throw new Error('hostile') }; ${init}; Promise = kept</script>`,
        body: '<a id="cj" data-svc-partner-provider="cj" href="https://www.cj.example/go">CJ</a>',
      });
      await untilDecorated(await parts().visit('/broken'), 'cj');
    });

    it('a click by mouse, keyboard or middle button is captured with every attribute', async () => {
      const page = await parts().visit('/links');
      await untilDecorated(page, 'cj');
      await page.click('#all');
      await page.focus('#cj');
      await page.keyboard.press('Enter');
      await page.click('#present', { button: 'middle' });
      await page.click('#plain');
      expect((await parts().flush(page)).map(({ status }) => status)).toEqual(['stored', 'stored', 'stored']);
      expect(await parts().stored()).toMatchObject([
        {
          event_type: 'partner_link_click',
          properties: {
            provider: 'awin',
            destination_url: 'https://www.awin.example/go',
            partner_id: 'p',
            campaign_id: 'c',
            content_id: 'o',
            placement_id: 'l',
            creative_id: 'r',
          },
        },
        { properties: { provider: 'cj', destination_url: 'https://www.cj.example/go' } },
        { properties: { provider: 'awin', destination_url: 'https://www.awin.example/go' } },
      ]);
    });
  });
}
