import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { IntegrationResource, SiteResource } from '@truetally/contracts/management';
import { request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { dataOf, outsiderOf, Publisher, row } from './publisher.js';

const AT = '2026-03-10T12:00:00Z';
const MARCH = { from: '2026-03-01', to: '2026-04-01' };

export function whoMayDoWhat(product: () => Product): void {
  describe('who may do what', () => {
    let publisher: Publisher;
    let others: Readonly<Record<'admin' | 'analyst' | 'outsider', Publisher['owner']>>;

    beforeAll(async () => {
      publisher = await Publisher.open(product());
      const [admin, analyst, outsider] = await Promise.all([
        publisher.owner.invite('admin'),
        publisher.owner.invite('analyst'),
        outsiderOf(product()),
      ]);
      others = { admin, analyst, outsider };
    });

    const pathsOf = (siteId: string): readonly string[] => [
      `analytics/publishers?site_id=${siteId}`,
      `analytics/publishers.csv?site_id=${siteId}`,
      `analytics/publishers/clicks?reference=ref&site_id=${siteId}`,
    ];

    it('the report is for owners alone', async () => {
      for (const path of pathsOf(publisher.site.id)) {
        const { admin, analyst, outsider } = others;
        expect((await admin.get(path)).status).toBe(403);
        expect((await analyst.get(path)).status).toBe(403);
        expect((await outsider.get(path)).status).toBe(404);
        const url = `${product().baseUrl}/${path}`;
        expect((await request(url)).status).toBe(401);
        // A key with every scope is known, but is not an owner.
        expect((await request(url, { headers: { 'x-api-key': publisher.key } })).status).toBe(403);
        expect((await request(url, { headers: { 'x-api-key': 'ck_nobody' } })).status).toBe(401);
      }
      expect((await publisher.report(MARCH)).status).toBe(200);
    });

    it('settlements are uploaded by owners and admins, and listed by members', async () => {
      const path = `integrations/${publisher.integrations.awin}/settlements`;
      const { admin, analyst, outsider } = others;
      await publisher.settle('awin', [row()]);
      expect((await admin.post(path, { rows: [row()] })).status).toBe(202);
      expect((await analyst.post(path, { rows: [row()] })).status).toBe(403);
      expect((await outsider.post(path, { rows: [row()] })).status).toBe(404);
      expect((await analyst.get(path)).status).toBe(200);
      expect((await outsider.get(path)).status).toBe(404);
      expect(
        (await publisher.owner.post(`integrations/${randomUUID()}/settlements`, { rows: [] })).status,
      ).toBe(404);
      expect((await publisher.owner.get('integrations/nothing/settlements')).status).toBe(404);
      const feed = await publisher.owner.post<IntegrationResource>('integrations', {
        site_id: publisher.site.id,
        provider: 'product_feed',
        base_url: 'https://shop.example/feed',
      });
      const ofFeed = await publisher.owner.post(`integrations/${dataOf(feed).id}/settlements`, { rows: [] });
      expect([ofFeed.status, ofFeed.body.error?.details]).toEqual([
        409,
        { provider: ['must be a partner network'] },
      ]);
      const [listed] = await publisher.settlements('awin');
      const history = `${path}/${listed?.id ?? ''}/history`;
      expect((await analyst.get(history)).status).toBe(200);
      expect((await outsider.get(history)).status).toBe(404);
      expect((await analyst.get(`${path}/${randomUUID()}/history`)).status).toBe(404);
      expect((await analyst.get(`${path}/nothing/history`)).status).toBe(404);
      expect((await analyst.get(`${history}?cursor=nothing`)).status).toBe(400);
      const elsewhere = `integrations/${publisher.integrations.cj}/settlements/${listed?.id ?? ''}/history`;
      expect((await publisher.owner.get(elsewhere)).status).toBe(404);
      const url = `${product().baseUrl}/${path}`;
      const key = { 'x-api-key': publisher.key };
      expect((await request(url, { headers: key, json: { rows: [] } })).status).toBe(401);
    });

    it('there is a report for sites in active publisher mode alone, and turning it off deletes nothing', async () => {
      const click = { reference: randomUUID(), at: AT };
      expect((await publisher.click(click)).status).toBe(201);
      const before = await publisher.reportWhen(MARCH, (one) => one.observed_clicks === 1);
      const path = `sites/${publisher.site.id}`;
      expect((await publisher.owner.patch(path, { publisher_mode: 'off' })).status).toBe(200);
      for (const one of pathsOf(publisher.site.id)) {
        const refused = await publisher.owner.get(one);
        expect([refused.status, refused.body.error?.code]).toEqual([409, 'CONFLICT']);
      }
      // It is still an event, but never a click of the report.
      expect((await publisher.click({ reference: randomUUID(), at: AT })).status).toBe(201);
      expect((await publisher.owner.patch(path, { publisher_mode: 'active' })).status).toBe(200);
      const after = await publisher.reportWhen(MARCH, () => true);
      expect(after.observed_clicks).toBe(before.observed_clicks);
      expect((await publisher.click({ reference: randomUUID(), at: AT })).status).toBe(201);
      expect((await publisher.reportWhen(MARCH, (one) => one.observed_clicks >= 2)).observed_clicks).toBe(2);
    });

    it('a click that is sent again is one click, and a bot is none', async () => {
      const own = await Publisher.open(product());
      const click = { reference: randomUUID(), at: AT, clientEventId: randomUUID() };
      const [first, again] = [await own.click(click), await own.click(click)];
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body.data).toMatchObject({ event_id: first.body.data?.event_id, deduplicated: true });
      await own.click({
        reference: randomUUID(),
        at: AT,
        userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)',
      });
      await own.click({ reference: randomUUID(), at: AT });
      const report = await own.reportWhen(MARCH, (one) => one.observed_clicks >= 2);
      expect(report.observed_clicks).toBe(2);
    });

    it.each([
      ['site_id=nothing', ['site_id']],
      ['', ['site_id']],
      ['from=2026-02-30', ['from']],
      ['from=2026-03-01', ['to']],
      ['from=2026-03-02&to=2026-03-01', ['to']],
      ['interval=hour', ['interval']],
    ])('a report that is asked for with "%s" is refused by its fields', async (query, fields) => {
      const given =
        query === '' || query.startsWith('site_id') ? query : `site_id=${publisher.site.id}&${query}`;
      const { status, body } = await publisher.owner.get(`analytics/publishers?${given}`);
      expect([status, Object.keys(body.error?.details ?? {})]).toEqual([400, fields]);
    });

    it('an unknown parameter, a reference that is none and a site of nobody are refused', async () => {
      expect((await publisher.report({ days: '7' })).status).toBe(400);
      expect((await publisher.owner.get('analytics/publishers/clicks')).status).toBe(400);
      expect((await publisher.owner.get(`analytics/publishers?site_id=${randomUUID()}`)).status).toBe(404);
    });

    it('a site that is deleted takes its clicks and settlements along', async () => {
      const own = await Publisher.open(product());
      await own.click({ reference: 'gone', at: AT });
      await own.settle('awin', [row({ click_reference: 'gone' })]);
      await own.reportWhen(MARCH, (one) => one.reference_correlation.matched === 1);
      const deleted = dataOf(
        await own.owner.delete<SiteResource & { job_id: string }>(`sites/${own.site.id}`),
      );
      const job = await own.finished(deleted.job_id);
      // An event, a click and a settlement, and management's data of the site.
      expect(job).toMatchObject({ state: 'completed', failed: 0 });
      expect(job.done).toBeGreaterThanOrEqual(3);
      expect((await own.report(MARCH)).status).toBe(404);
    });
  });
}
