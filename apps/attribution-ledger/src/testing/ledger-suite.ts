import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import { eventually } from '@truetally/testing';
import { aCancellation, anAdjustment, aPurchase } from './commands.js';
import { accepted, type LedgerProcesses } from './ledger-processes.js';
import { aTouch } from './touches.js';

const FIVE_PERCENT = {
  provider: 'awin',
  partner_id: null,
  type: 'percentage',
  rate: '0.05',
  amount: null,
  currency: null,
  effective_from: '2026-01-01T00:00:00.000Z',
} as const;

export function whatTheLedgerAnswers(given: () => LedgerProcesses): void {
  describe('the service', () => {
    it('records an order from its purchase to its cancellation, and answers replays with the first answer', async () => {
      const siteId = randomUUID();
      const purchase = aPurchase();
      const { orderId } = purchase;
      const first = accepted(await given().convert(siteId, purchase));
      expect(first).toMatchObject({
        authoritative: true,
        deduplicated: false,
        order_id: orderId,
        event_type: 'purchase',
        state: 'recorded',
        currency: 'EUR',
        remaining_revenue: '100.00',
        remaining_commissionable: '100.00',
        unmatched_touch_ids: [],
      });
      const change = accepted(await given().convert(siteId, anAdjustment({ orderId })));
      expect(change).toMatchObject({ state: 'adjusted', remaining_revenue: '90.00' });
      const refused = await given().convert(siteId, aCancellation({ orderId, reversedRevenue: 10_000n }));
      expect(refused).toMatchObject({
        error: {
          code: 'CONFLICT',
          details: {
            'cancellation.reversed_revenue': ['must be the remaining revenue 90.00, not 100.00'],
          },
        },
      });
      const end = accepted(
        await given().convert(siteId, aCancellation({ orderId, reversedRevenue: 9_000n })),
      );
      expect(end).toMatchObject({ state: 'cancelled', remaining_revenue: '0.00' });
      expect(accepted(await given().convert(siteId, purchase))).toEqual({ ...first, deduplicated: true });
      expect(accepted(await given().readOrder(siteId, orderId))).toMatchObject({
        state: 'cancelled',
        commission: '0.00',
        entries: [{ sequence: '1' }, { sequence: '2' }, { sequence: '3', revenue_delta: '-90.00' }],
      });
    });

    it('matches a touch that arrives after its order within a second, and publishes the result', async () => {
      const siteId = randomUUID();
      const touch = aTouch();
      accepted(await given().createRule({ website_id: siteId, ...FIVE_PERCENT }));
      const purchase = aPurchase({ touchIds: [touch.touch_id] });
      const first = accepted(await given().convert(siteId, purchase));
      expect(first.unmatched_touch_ids).toEqual([touch.touch_id]);
      accepted(await given().recordTouches({ site_id: siteId, touches: [touch] }));
      const order = await eventually(async () => {
        const read = accepted(await given().readOrder(siteId, purchase.orderId));
        return read.unmatched_touch_ids.length === 0 && read;
      });
      expect(order).toMatchObject({
        commission: '5.00',
        commission_entries: [{ commission_delta: '5.00', sequence: '2' }],
        matched_touches: [{ touch_id: touch.touch_id, provider: 'awin', partner_id: 'partner-1' }],
        attribution: [{ outcome: 'attributed', reason: 'shared_equally', share: '5.00' }],
      });
      const facts = await eventually(() => {
        const mine = given().facts.filter(({ key }) => key.startsWith(siteId));
        return mine.length === 5 && mine;
      });
      expect(facts.filter(({ topic }) => topic === TOPICS.conversionsRecorded.name)).toHaveLength(2);
      expect(facts.filter(({ topic }) => topic === TOPICS.ledgerSealed.name)).toHaveLength(2);
      expect(facts.find(({ topic }) => topic === TOPICS.touchesRecorded.name)?.value).not.toContain(
        'a'.repeat(64),
      );
    });

    it('matches a touch that came before its order at once', async () => {
      const siteId = randomUUID();
      const touch = aTouch();
      accepted(await given().createRule({ website_id: siteId, ...FIVE_PERCENT }));
      const request = { site_id: siteId, touches: [touch] };
      expect(accepted(await given().recordTouches(request))).toMatchObject([{ status: 'created' }]);
      expect(accepted(await given().recordTouches(request))).toMatchObject([{ status: 'unchanged' }]);
      const purchase = aPurchase({ touchIds: [touch.touch_id] });
      expect(accepted(await given().convert(siteId, purchase)).unmatched_touch_ids).toEqual([]);
      const order = accepted(await given().readOrder(siteId, purchase.orderId));
      expect(order).toMatchObject({ commission: '5.00', commission_entries: [] });
    });

    it('answers copies of a message as the first time, wherever they are in the log, and another message as a replay', async () => {
      const siteId = randomUUID();
      const copy = { correlationId: randomUUID() };
      const purchase = aPurchase();
      const converted = [];
      for (const message of [copy, copy, {}])
        converted.push(accepted(await given().convert(siteId, purchase, message)));
      expect(converted.map(({ deduplicated }) => deduplicated)).toEqual([false, false, true]);
      const request = { site_id: siteId, touches: [aTouch()] };
      const touched = [];
      for (const message of [copy, copy, {}])
        touched.push(accepted(await given().recordTouches(request, message)));
      expect(touched).toMatchObject([
        [{ status: 'created' }],
        [{ status: 'created' }],
        [{ status: 'unchanged' }],
      ]);
    });

    it('lists touches newest first, page by page', async () => {
      const siteId = randomUUID();
      for (const name of ['a', 'b', 'c']) {
        accepted(await given().recordTouches({ site_id: siteId, touches: [aTouch({ touch_id: name })] }));
      }
      const first = accepted(await given().listTouches({ site_id: siteId, limit: 2, cursor: null }));
      expect(first).toMatchObject({ items: [{ touch_id: 'c' }, { touch_id: 'b' }] });
      const { next_cursor: cursor } = first as { next_cursor: string };
      const second = accepted(await given().listTouches({ site_id: siteId, limit: 2, cursor }));
      expect(second).toMatchObject({ items: [{ touch_id: 'a' }], next_cursor: null });
      expect(await given().listTouches({ site_id: siteId, limit: 2, cursor: 'nonsense' })).toMatchObject({
        error: { code: 'VALIDATION_ERROR', details: { cursor: ['must be the next_cursor of a page'] } },
      });
    });
  });
}
