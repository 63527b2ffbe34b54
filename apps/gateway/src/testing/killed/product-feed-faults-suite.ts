import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobResource } from '@truetally/contracts/jobs';
import type { IntegrationResource } from '@truetally/contracts/management';
import { eventually } from '@truetally/testing';
import { type LaunchedProduct } from '@truetally/testing-product';
import { openShop, resourceOf } from '../catalogue.js';
import { feedEntry, FeedServer, rssFeed } from '../feed-server.js';
import { Merchant } from '../merchant.js';
import { sendSigned } from '../publisher/pulls-suite.js';
import { queryProduct } from '../query-product.js';
import { PicturesUnderWay } from './media-faults-suite.js';

const PATIENCE = { timeoutMs: 240_000 };
const ROWS = 2_500;
const SENT_AT_ONCE = 1_500;
const BAD_ROW = 42;

/** Needs outbound and the only management in processes of their own. Management is killed over pictures, too. */
export function whatAFeedSurvives(launched: () => LaunchedProduct): void {
  describe('a feed', () => {
    let product: LaunchedProduct;
    let server: FeedServer;
    let pictures: PicturesUnderWay | undefined;

    beforeAll(async () => {
      product = launched();
      server = await FeedServer.open();
    });

    afterAll(() => server.close());

    it('a feed is read to its end when either program is killed while it is read, and each row counts once', async () => {
      const merchant = await Merchant.join(product);
      const site = await openShop(merchant);
      const items = Array.from({ length: ROWS }, (_, n) =>
        feedEntry(`p-${n}`, n === BAD_ROW - 1 ? { price: 'x' } : {}),
      );
      const whole = rssFeed(items);
      const middle = whole.indexOf(feedEntry(`p-${SENT_AT_ONCE}`));
      let isHeld = true;
      server.answer('/feed', (_, response) => {
        response.write(whole.slice(0, middle));
        // White space, so that the server is not too slow while processes start.
        const timer = setInterval(() => {
          if (isHeld) {
            response.write(' '.repeat(16_384));
            return;
          }
          clearInterval(timer);
          response.end(whole.slice(middle));
        }, 250);
        response.on('close', () => clearInterval(timer));
      });
      const body = { site_id: site.id, provider: 'product_feed', base_url: `${server.url}/feed` };
      const { id } = resourceOf(await merchant.post<IntegrationResource>('integrations', body));
      const asked = { site_id: site.id, integration_id: id };
      const begun = resourceOf(await sendSigned(product, asked, { type: 'products.sync' }));
      const job = async (): Promise<JobResource> =>
        resourceOf(await merchant.get<JobResource>(`jobs/${begun.job_id}`));
      await eventually(async () => (await job()).done === 1_000, PATIENCE);

      const [outbound] = product.processes('outbound');
      await outbound?.kill();
      await outbound?.restart();
      await eventually(() => server.countOf('/feed') > 1, PATIENCE);
      expect((await job()).done).toBe(1_000);
      pictures = await PicturesUnderWay.begin(product);
      const [management] = product.processes('management');
      await management?.kill();
      await management?.restart();
      isHeld = false;

      await eventually(async () => (await job()).state === 'completed', PATIENCE);
      expect(await job()).toMatchObject({ total: ROWS, done: ROWS, stored: ROWS - 1, failed: 1 });
      expect((await job()).errors.map(({ row }) => row)).toEqual([BAD_ROW]);
      const stored = await queryProduct<{ count: number; most: number }>(
        product,
        'management',
        `select count(*)::integer as count, max(version) as most from products
     where site_id = $1 and availability = 'in_stock'`,
        [site.id],
      );
      expect(stored).toEqual([{ count: ROWS - 1, most: 1 }]);
    }, 900_000);

    it('a management service that is killed over its pictures has made each once in the end', async () => {
      await pictures?.expectEachOnce();
      expect(pictures).toBeDefined();
    });
  });
}
