import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, eventually, request } from '@truetally/testing';
import type { LaunchedProduct } from '@truetally/testing-product';

interface Stored {
  readonly event_id: string;
  readonly deduplicated?: true;
}

/** Needs ingestion in a process of its own. */
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
  });
}
