import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceName } from '@truetally/contracts/services';
import type { Messaging } from '@truetally/messaging';
import { eventually } from '@truetally/testing';
import { type LaunchedProduct, openMessaging } from '@truetally/testing-product';
import { Publisher } from '../publisher/publisher.js';
import { queryProduct } from '../query-product.js';

/** The service that the product begins without. */
export const ADDED: ServiceName = 'publisher-analytics';
const AT = '2026-01-10T12:00:00.000Z';

/** Starts that service, in a process of its own. */
export function whatAnAddedServiceKnows(launched: () => LaunchedProduct): void {
  describe('a service that is added later', () => {
    let product: LaunchedProduct;
    let messaging: Messaging;

    beforeAll(async () => {
      product = launched();
      const { kafkaBrokers, topicPrefix } = product.installation;
      messaging = await openMessaging(kafkaBrokers, topicPrefix, 'added-service');
    });

    afterAll(() => messaging.close());

    it('stores nothing of a site that was erased before it existed, although its facts are on Kafka still', async () => {
      const [erased, living] = [await Publisher.open(product), await Publisher.open(product)];
      for (const publisher of [erased, living]) {
        expect((await publisher.click({ reference: 'reference-1', at: AT })).status).toBe(201);
      }
      const deleted = await erased.owner.delete(`sites/${erased.site.id}`);
      expect(deleted.status).toBe(200);
      // The release that erased the site did not know the service, and never asked it.
      await queryProduct(product, 'management', 'delete from jobs');
      // Its fact was the first one of its key; another click is read after it.
      expect((await living.click({ reference: 'reference-2', at: AT })).status).toBe(201);

      await product.add(ADDED);
      await eventually(async () => {
        const rows = await queryProduct(product, ADDED, 'select from clicks where site_id = $1', [
          living.site.id,
        ]);
        return rows.length === 2;
      });
      await eventually(async () => {
        const lags = (await messaging.lag()).filter(({ group }) => group.startsWith(ADDED));
        return lags.length > 0 && lags.every(({ lag }) => lag === 0);
      });
      const marks = await queryProduct(product, ADDED, 'select site_id from erased_sites');
      expect(marks).toEqual([{ site_id: erased.site.id }]);
      for (const table of ['clicks', 'click_references', 'site_calendars']) {
        const rows = await queryProduct(product, ADDED, `select from ${table} where site_id = $1`, [
          erased.site.id,
        ]);
        expect([table, rows.length]).toEqual([table, 0]);
      }
    });
  });
}
