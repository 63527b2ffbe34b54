import { describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import type { Page } from 'playwright-core';
import type { Attribution } from '../types.js';
import type { Shop } from './shop.js';
import type { SiteOwner } from './site-owner.js';
import type { StoredEvent } from './stored-events.js';
import { violations } from './violations.js';

interface RecommendationParts {
  readonly shop: Shop;
  readonly owner: SiteOwner;
  /** Of a page that shows campaigns under a strict policy. */
  readonly head: string;
  readonly policy: string;
  readonly visit: (path: string) => Promise<Page>;
  readonly stored: () => Promise<readonly StoredEvent[]>;
}

/** Products that a page shows, in the browser of the suite that calls it: starting one takes long. */
export function recommendationsSuite(parts: () => RecommendationParts): void {
  describe('recommendations on a page', () => {
    /** @returns the campaign, whose popular products a page of the shop shows below the fold */
    async function openShelf(): Promise<string> {
      const { shop, owner, head, policy, visit } = parts();
      const url = `${shop.origin}/`;
      await owner.offer([
        { product_id: 'pot', title: 'A <b>pot</b>', url, price: '12.5', currency: 'EUR' },
        { product_id: 'sieve', title: 'A sieve' },
      ]);
      const content = { strategy: 'popular', placement: 'home', count: 2 };
      const id = await owner.launch('recommendation', content);
      const body = `<div style="height: 200vh"></div><section hidden id="place" data-svc-recommendations="${id}" data-svc-product-id="tea"><h2>For you</h2></section>`;
      // The height is the shop's own; the SDK needs no such permission.
      shop.pages.set('/shelf', { head, policy: `${policy}; style-src-attr 'unsafe-inline'`, body });
      const page = await visit('/');
      await page.evaluate(`for (const product_id of ['pot', 'pot', 'sieve'])
        truetally.track('product_view', { product_id })`);
      await page.evaluate('truetally.flush()');
      // The browser keeps an answer for half a minute, also one from before the views were counted.
      await owner.untilTold(`recommendations?campaign_id=${id}&product_id=tea`, '"product_id":"pot"');
      return id;
    }

    /** Resolves when the page, loaded again, has been told what to recommend. */
    async function loadAgain(page: Page): Promise<void> {
      const answered = page.waitForResponse('**/recommendations?*');
      await page.reload();
      await answered;
    }

    it('recommendations are links of products, and their impression and clicks are counted', async () => {
      const id = await openShelf();
      const page = await parts().visit('/shelf');
      await page.getByRole('heading', { name: 'For you' }).waitFor();
      const link = page.getByRole('link', { name: 'A <b>pot</b>' });
      expect(await link.innerText()).toContain('12.50');
      expect(await violations(page)).toEqual([]);
      expect((await parts().stored()).map(({ event_type }) => event_type)).not.toContain(
        'recommendation_impression',
      );
      await link.scrollIntoViewIfNeeded();
      await eventually(async () => {
        await page.evaluate('truetally.flush()');
        return (await parts().stored()).some(({ event_type }) => event_type === 'recommendation_impression');
      });
      await link.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${parts().shop.origin}/`);
      await page.evaluate('truetally.flush()');
      const ids = { campaign_id: id, recommendation_id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
      expect((await parts().stored()).slice(-2)).toEqual([
        expect.objectContaining({ event_type: 'recommendation_impression', properties: ids }),
        expect.objectContaining({
          event_type: 'recommendation_click',
          properties: { ...ids, product_id: 'pot' },
        }),
      ]);
    });

    it('recommendations are drawn where the browser constructs no style sheet', async () => {
      const id = await openShelf();
      const { shop, head, visit } = parts();
      const body = `<section data-svc-recommendations="${id}" data-svc-product-id="tea"></section>`;
      shop.pages.set('/old', { head, body });
      const page = await visit('/');
      const content = 'delete ShadowRoot.prototype.adoptedStyleSheets; delete globalThis.CSSStyleSheet;';
      await page.context().addInitScript({ content });
      const list = (await visit('/old')).getByRole('list');
      await list.waitFor();
      expect(await list.evaluate((place) => getComputedStyle(place).display)).toBe('flex');
    });

    it('a session of control is recommended nothing, and its place stays hidden', async () => {
      const { owner, visit } = parts();
      const id = await openShelf();
      const shown = await visit('/shelf');
      await shown.getByRole('listitem').first().waitFor();
      await shown.close();
      await owner.measure(id, 'control', 'recommendation');
      const page = await visit('/shelf?awc=control');
      const attribution = await eventually(async () => {
        const known: Attribution = await page.evaluate('truetally.attribution()');
        return known.experiment_assignment_ids.length > 0 && known;
      });
      expect(attribution.experiment_assignment_ids).toHaveLength(1);
      await loadAgain(page);
      expect(await page.evaluate("document.getElementById('place').hidden")).toBe(true);
      expect(await page.getByRole('listitem').count()).toBe(0);
    });
  });
}
