import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Attribution, EventProof } from '../types.js';
import type { Shop } from './shop.js';

interface GuideParts {
  readonly shop: Shop;
  readonly sdkUrl: string;
  readonly siteId: string;
  readonly endpoint: string;
  readonly visit: (path: string) => Promise<Page>;
  readonly flush: (page: Page) => Promise<readonly EventProof[]>;
}

const GUIDE = new URL('../../../../docs/guides/browser-sdk.md', import.meta.url);

/** The guide's samples, in the browser of the suite that calls it: each as it stands there, but for its addresses. */
export function guideSuite(parts: () => GuideParts): void {
  describe('samples of the guide to the SDK', () => {
    const samples = (language: string): readonly string[] => {
      const { sdkUrl, siteId, endpoint } = parts();
      const fence = new RegExp(`^\`\`\`${language}\\n([^]+?)^\`\`\``, 'gm');
      return [...readFileSync(GUIDE, 'utf8').matchAll(fence)].map(([, text = '']) =>
        text
          .replaceAll('https://api.example/sdk/v1/truetally.js', sdkUrl)
          .replaceAll('https://api.example/api/v1', endpoint)
          .replaceAll('<site id>', siteId),
      );
    };
    const statuses = async (page: Page): Promise<readonly string[]> =>
      (await parts().flush(page)).map(({ status }) => status);

    it("the guide's one line sends the view of its page, also where an element has the SDK's name", async () => {
      const { shop, visit } = parts();
      const [oneLine = ''] = samples('html');
      // An element is a name of the window, too.
      shop.pages.set('/one-line', { head: `<meta id="truetally">${oneLine}` });
      expect(await statuses(await visit('/one-line'))).toEqual(['stored']);
    });

    it('a page that has the SDK twice, by line or by tag, has one client', async () => {
      const { shop, sdkUrl, visit } = parts();
      const [oneLine = '', tag = ''] = samples('html');
      shop.pages.set('/lines', { head: oneLine + oneLine });
      expect(await statuses(await visit('/lines'))).toEqual(['stored', 'stored']);
      const later = `<script src="${sdkUrl}"></script><script>truetally.page()</script>`;
      shop.pages.set('/tags', { head: tag + later });
      expect(await statuses(await visit('/tags'))).toEqual(['stored']);
    });

    it("the guide's one line keeps nobody waiting where the file is blocked", async () => {
      const { shop, sdkUrl, visit } = parts();
      const [oneLine = ''] = samples('html');
      shop.pages.set('/blocked', { head: oneLine.replace(sdkUrl, `${shop.origin}/blocked.js`) });
      const page = await visit('/blocked');
      const ask = 'Promise.all([truetally.flush(), truetally.attribution()])';
      expect(await page.evaluate(ask)).toEqual([[], undefined]);
      expect(await page.evaluate(ask)).toEqual([[], undefined]);
    });

    it("the guide's tag works where nothing inline may run", async () => {
      const { shop, sdkUrl, visit } = parts();
      const [, tag = '', ...others] = samples('html');
      const { origin } = new URL(sdkUrl);
      shop.scripts.set('/own.js', 'truetally.page();');
      const policy = `default-src 'none'; script-src 'self' ${origin}; connect-src ${origin}`;
      shop.pages.set('/tag', { head: `${tag}<script src="/own.js"></script>`, policy });
      expect(await statuses(await visit('/tag'))).toEqual(['stored']);
      expect(others).toEqual([]);
    });

    it("the guide's calls are stored, and what it names with an order is there", async () => {
      const { shop, sdkUrl, siteId, endpoint, visit } = parts();
      const [calls = '', order = '', ...others] = samples('js');
      shop.pages.set('/calls', { head: `<script src="${sdkUrl}"></script>` });
      const page = await visit('/calls');
      const names = JSON.stringify({ siteId, endpoint });
      const [proofs, event, attribution] = await page.evaluate<
        [readonly EventProof[], string, Pick<Attribution, 'session_id' | 'touch_ids'>]
      >(`(async ({ siteId, endpoint }) => { const onError = () => undefined;
        ${calls}
        ${order}
        return [proofs, id, { session_id, touch_ids }]; })(${names})`);
      expect(proofs.map(({ status }) => status)).toEqual(['stored', 'stored']);
      expect(proofs.map(({ client_event_id: id }) => id)).toContain(event);
      expect(attribution).toEqual({ session_id: expect.stringMatching(/^[0-9a-f]{32}$/), touch_ids: [] });
      expect(others).toEqual([]);
    });
  });
}
