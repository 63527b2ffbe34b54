import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Product } from '@truetally/testing-product';
import { Publisher, row } from './publisher.js';

/**
 * A publisher in New York, whose clocks go back on the first day of November 2026: that day has 25 hours, and
 * the second starts at 05:00 UTC. All figures below were calculated by hand.
 */
const NOVEMBER = { from: '2026-11-01', to: '2026-12-01', interval: 'day' };
const STAYS = '2026-11-01T03:59:59.999Z';
const FIRST = '2026-11-01T04:00:00Z';
/** 23:30 on the first, which ends at 05:00 UTC. */
const LATE_ON_FIRST = '2026-11-02T04:30:00Z';
const SECOND = '2026-11-02T05:00:00Z';
const THIRD = '2026-11-03T15:00:00Z';

export function aStory(product: () => Product): void {
  describe('a publisher, two networks and two currencies', () => {
    let publisher: Publisher;

    beforeAll(async () => {
      publisher = await Publisher.open(product(), { timezone: 'America/New_York' });
    });

    it('sees clicks and settlements come to one report, whichever is first', async () => {
      // A settlement before its click: the network may be faster than our own events.
      const early = row({
        provider_transaction_id: 'cj-1',
        click_reference: 'ref-early',
        status: 'approved',
      });
      await publisher.settle('cj', [
        { ...early, currency: 'USD', commission_amount: '7.50', transaction_at: THIRD, updated_at: THIRD },
      ]);
      const unmatched = await publisher.reportWhen(NOVEMBER, (one) => one.settled_orders === 1);
      expect(unmatched.reference_correlation).toMatchObject({
        matched: 0,
        unmatched_settlements: 1,
        variance: 1,
      });
      expect(unmatched.top_content).toEqual([]);
      const clicks = [
        { reference: 'ref-before', at: STAYS, content: 'guide' },
        { reference: 'ref-1', at: FIRST, content: 'guide' },
        {
          reference: 'ref-2',
          at: LATE_ON_FIRST,
          content: 'guide',
          destination: 'https://partner.example/hats',
        },
        { reference: 'ref-3', at: SECOND, content: 'review' },
        { reference: 'ref-early', at: SECOND, content: 'review', provider: 'cj' },
        // One reference with two clicks: the first owns it, and the other is a repetition.
        { reference: 'ref-twice', at: THIRD },
        { reference: 'ref-twice', at: THIRD },
      ];
      for (const click of clicks) expect((await publisher.click(click)).status).toBe(201);
      const transaction = {
        provider_transaction_id: 'awin-1',
        click_reference: 'ref-1',
        transaction_at: FIRST,
      };
      await publisher.settle('awin', [
        row({ ...transaction, commission_amount: '4.20', updated_at: FIRST }),
        row({
          click_reference: 'ref-2',
          status: 'declined',
          transaction_at: LATE_ON_FIRST,
          updated_at: THIRD,
        }),
        row({ click_reference: 'ref-twice', status: 'approved', transaction_at: SECOND, updated_at: THIRD }),
        row({ click_reference: 'ref-unknown', status: 'pending', transaction_at: THIRD, updated_at: THIRD }),
        row({ status: 'approved', commission_amount: '1.01', transaction_at: SECOND, updated_at: THIRD }),
      ]);
      const report = await publisher.reportWhen(
        NOVEMBER,
        (one) => one.observed_clicks === 6 && one.settlements.total === 6,
      );
      expect(report).toMatchObject({
        window: { from: '2026-11-01', to: '2026-12-01' },
        observed_clicks: 6,
        settled_orders: 5,
        settlements: { total: 6, pending: 2, approved: 3, declined: 1, reversed: 0 },
        currencies: [
          {
            currency: 'EUR',
            settled_orders: 4,
            commissionable_revenue: '400.00',
            commission: { approved: '6.01', pending: '9.20', declined: '5.00' },
            reversals: { count: 0, amount: '0.00' },
            earnings_per_click: '2.535000',
          },
          {
            currency: 'USD',
            settled_orders: 1,
            commissionable_revenue: '100.00',
            commission: { approved: '7.50', pending: '0.00', declined: '0.00' },
            reversals: { count: 0, amount: '0.00' },
            earnings_per_click: '1.250000',
          },
        ],
        reference_correlation: {
          clicks_with_reference: 6,
          settlements_with_reference: 5,
          matched: 4,
          ambiguous: 0,
          unmatched_settlements: 1,
          variance: 0.2,
          clicks_matched: 4,
          clicks_ambiguous: 0,
          clicks_repeated: 1,
          clicks_unmatched: 1,
        },
      });
      expect(report.top_content).toEqual([
        {
          content_id: 'guide',
          clicks: 2,
          settled_orders: 1,
          commission: [{ currency: 'EUR', amount: '4.20' }],
        },
        {
          content_id: 'review',
          clicks: 2,
          settled_orders: 1,
          commission: [{ currency: 'USD', amount: '7.50' }],
        },
      ]);
      expect(report.top_destinations).toEqual([
        {
          destination: 'partner.example/shoes',
          clicks: 5,
          settled_orders: 3,
          commission: [
            { currency: 'EUR', amount: '9.20' },
            { currency: 'USD', amount: '7.50' },
          ],
        },
        { destination: 'partner.example/hats', clicks: 1, settled_orders: 0, commission: [] },
      ]);
      const days = report.series
        .slice(0, 4)
        .map(({ start, clicks: n, settled_orders }) => [start, n, settled_orders]);
      expect(days).toEqual([
        ['2026-11-01T04:00:00.000Z', 2, 1],
        ['2026-11-02T05:00:00.000Z', 2, 2],
        ['2026-11-03T05:00:00.000Z', 2, 2],
        ['2026-11-04T05:00:00.000Z', 0, 0],
      ]);
      expect(report.series).toHaveLength(30);
    });

    it('follows a transaction from pending to approved to reversed, and keeps every state of it', async () => {
      const transaction = {
        provider_transaction_id: 'awin-1',
        click_reference: 'ref-1',
        transaction_at: FIRST,
      };
      const approved = row({
        ...transaction,
        status: 'approved',
        commission_amount: '4.30',
        updated_at: SECOND,
      });
      const reversed = row({
        ...transaction,
        status: 'reversed',
        commission_amount: '4.30',
        updated_at: THIRD,
      });
      await publisher.settle('awin', [approved]);
      const between = await publisher.reportWhen(NOVEMBER, (one) => one.settlements.approved === 4);
      expect(between.currencies[0]?.commission).toEqual({
        approved: '10.31',
        pending: '5.00',
        declined: '5.00',
      });
      // Sent newest first, then an older state again: the newest counts.
      await publisher.settle('awin', [reversed, approved]);
      const report = await publisher.reportWhen(NOVEMBER, (one) => one.settlements.reversed === 1);
      expect(report).toMatchObject({
        settled_orders: 4,
        currencies: [
          {
            currency: 'EUR',
            commissionable_revenue: '300.00',
            commission: { approved: '6.01', pending: '5.00', declined: '5.00' },
            reversals: { count: 1, amount: '4.30' },
          },
          { currency: 'USD' },
        ],
        top_content: [
          { content_id: 'review', settled_orders: 1 },
          { content_id: 'guide', settled_orders: 0, commission: [] },
        ],
      });
      const kept = (await publisher.settlements('awin')).find(
        ({ provider_transaction_id }) => provider_transaction_id === 'awin-1',
      );
      expect(kept).toMatchObject({
        status: 'reversed',
        commission_amount: '4.30',
        has_click_reference: true,
      });
      expect(kept?.history.map(({ status, commission_amount }) => [status, commission_amount])).toEqual([
        ['pending', '4.20'],
        ['approved', '4.30'],
        ['reversed', '4.30'],
      ]);
    });

    it('adds up the same by day, week and month, and in the file', async () => {
      const [byDay, byWeek, byMonth] = await Promise.all(
        ['day', 'week', 'month'].map(async (interval) =>
          publisher.reportWhen({ ...NOVEMBER, interval }, () => true),
        ),
      );
      for (const report of [byDay, byWeek, byMonth]) {
        expect(report?.series.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(6);
        expect(report?.series.reduce((sum, point) => sum + point.settled_orders, 0)).toBe(4);
        expect(report?.currencies).toEqual(byDay?.currencies);
      }
      // The first is a Sunday: its week started in October, and the report contains that one day of it.
      expect(byWeek?.series.map(({ start, clicks }) => [start, clicks]).slice(0, 2)).toEqual([
        ['2026-10-26T04:00:00.000Z', 2],
        ['2026-11-02T05:00:00.000Z', 4],
      ]);
      expect(byMonth?.series.map(({ start }) => start)).toEqual(['2026-11-01T04:00:00.000Z']);
      const query = new URLSearchParams({ ...NOVEMBER, interval: 'month', site_id: publisher.site.id });
      const { status, headers, text } = await publisher.owner.get(
        `analytics/publishers.csv?${query.toString()}`,
      );
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      expect(text.split('\r\n')).toEqual([
        'start,currency,clicks,settled_orders,commissionable_revenue,commission_approved,commission_pending,commission_declined,reversals_count,reversals_amount,earnings_per_click',
        '2026-11-01T04:00:00.000Z,EUR,6,3,300.00,6.01,5.00,5.00,1,4.30,1.835000',
        '2026-11-01T04:00:00.000Z,USD,6,1,100.00,7.50,0.00,0.00,0,0.00,1.250000',
        '',
      ]);
    });

    it('finds the click that a reference named, and what was settled for it', async () => {
      const found = await publisher.owner.get('analytics/publishers/clicks?reference=ref-early');
      expect(found.body.data).toMatchObject({
        site_id: publisher.site.id,
        clicks: 1,
        click: { provider: 'cj', content_id: 'review', destination: 'partner.example/shoes' },
        settlements: [{ provider_transaction_id: 'cj-1', status: 'approved', commission_amount: '7.50' }],
      });
      expect(found.text).not.toContain('ref-early');
      expect((await publisher.owner.get('analytics/publishers/clicks?reference=ref-unknown')).status).toBe(
        404,
      );
    });

    it('a publisher’s reports are counted by other days when the site moves to another time zone', async () => {
      const path = `sites/${publisher.site.id}`;
      expect((await publisher.owner.patch(path, { timezone: 'Pacific/Auckland' })).status).toBe(200);
      const report = await publisher.reportWhen(NOVEMBER, ({ timezone }) => timezone === 'Pacific/Auckland');
      const days = report.series.slice(0, 4).map(({ start, clicks }) => [start, clicks]);
      expect(days).toEqual([
        ['2026-10-31T11:00:00.000Z', 2],
        ['2026-11-01T11:00:00.000Z', 3],
        ['2026-11-02T11:00:00.000Z', 0],
        ['2026-11-03T11:00:00.000Z', 2],
      ]);
      expect(report.observed_clicks).toBe(7);
    });
  });
}
