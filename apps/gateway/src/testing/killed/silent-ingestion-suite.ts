import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { type Answer, eventually, request } from '@truetally/testing';
import { type LaunchedProduct, openMessaging } from '@truetally/testing-product';
import { Publisher } from '../publisher/publisher.js';
import { queryProduct } from '../query-product.js';

interface Stored {
  readonly event_id: string;
  readonly deduplicated?: true;
}

/** Needs ingestion in a process of its own, and two gateways, the first of which it ends. */
export function whatWaitsForIngestion(launched: () => LaunchedProduct): void {
  describe('interface page, section 4: events', () => {
    let product: LaunchedProduct;
    let key: string;

    beforeAll(async () => {
      product = launched();
      key = (await product.createApiKey(await product.createSite())).key;
    });

    const track = (json: object): Promise<Answer<Stored>> =>
      request(`${product.baseUrl}/events/track`, { json, headers: { 'x-api-key': key } });

    it('an event without an ingestion that answers is 503 with Retry-After, and stored once by its retries', async () => {
      const sent = {
        event_type: 'page_view',
        session_id: 'session-1',
        client_event_id: randomUUID(),
        context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
      };
      for (const ingestion of product.processes('ingestion')) await ingestion.kill('SIGSTOP');
      const lost = await track(sent);
      expect([lost.status, lost.body.error?.code]).toEqual([503, 'INTERNAL_ERROR']);
      expect(Number(lost.headers.get('retry-after'))).toBeGreaterThan(0);
      for (const ingestion of product.processes('ingestion')) await ingestion.kill('SIGCONT');
      const found = await eventually(async () => {
        const again = await track(sent);
        return again.status < 500 ? again : false;
      });
      // What the 503 left on the log is on a partition of its own: the retry may come before it, and is the new one then.
      expect([found.status, found.body.data?.deduplicated ?? false]).toEqual(
        found.status === 201 ? [201, false] : [200, true],
      );
      const again = await track(sent);
      expect([again.status, again.body.data?.deduplicated]).toEqual([200, true]);
      expect(again.body.data?.event_id).toBe(found.body.data?.event_id);
    });

    /** How many requests to store events have ever been sent. */
    async function asked(): Promise<number> {
      const { kafkaBrokers, topicPrefix } = product.installation;
      const messaging = await openMessaging(kafkaBrokers, topicPrefix, 'killed-between');
      try {
        return await messaging.administer(async (admin) => {
          const ends = await admin.fetchTopicOffsets(messaging.prefixed(TOPICS.trackEvent.name));
          return ends.reduce((sum, { high }) => sum + Number(high), 0);
        });
      } finally {
        await messaging.close();
      }
    }

    it('a gateway that is killed between a click and its reference leaves none, and the retry counts the click once', async () => {
      const publisher = await Publisher.open(product);
      const said = { reference: 'killed', at: '2026-03-10T12:00:00Z', clientEventId: randomUUID() };
      const countOf = async (service: 'ingestion' | 'publisher-analytics', table: string): Promise<number> =>
        (await queryProduct(product, service, `select from ${table} where site_id = $1`, [publisher.site.id]))
          .length;
      const counted = (): Promise<readonly number[]> =>
        Promise.all([
          countOf('ingestion', 'events'),
          countOf('publisher-analytics', 'clicks'),
          countOf('publisher-analytics', 'click_references'),
        ]);
      for (const ingestion of product.processes('ingestion')) await ingestion.kill('SIGSTOP');
      const before = await asked();
      const lost = publisher.click(said).catch(() => 'no answer');
      await eventually(async () => (await asked()) > before);
      const [gateway] = product.gateways;
      if (gateway === undefined) throw new Error('There is no gateway.');
      await gateway.kill();
      product.forget(gateway);
      await lost;
      for (const ingestion of product.processes('ingestion')) await ingestion.kill('SIGCONT');
      await eventually(async () => (await countOf('publisher-analytics', 'clicks')) === 1);
      expect(await counted()).toEqual([1, 1, 0]);
      // By the second gateway.
      const again = await publisher.click(said);
      expect([again.status, again.body.data?.deduplicated]).toEqual([200, true]);
      const march = { from: '2026-03-01', to: '2026-04-01' };
      await publisher.reportWhen(march, (report) => report.observed_clicks === 1);
      expect(await counted()).toEqual([1, 1, 1]);
    });
  });
}
