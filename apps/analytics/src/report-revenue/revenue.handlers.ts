import type {
  AskReport,
  AskRevenueItems,
  RevenueItem,
  RevenueItemPage,
  RevenueReport,
} from '@truetally/contracts/analytics';
import { cursorOf, failure, formatMinor, readCursor, type Reply } from '@truetally/kernel';
import { presentRevenue } from '../domain/present-revenue.js';
import type { ReportOpener } from '../report-traffic/report-opener.js';
import { type PartItem, RevenueReads } from '../storage/revenue-reads.js';

/** Observed against recorded revenue, and what makes the difference (interface page, section 9). */
export class RevenueHandlers {
  constructor(private readonly opener: ReportOpener) {}

  report(asked: AskReport): Promise<Reply<RevenueReport>> {
    return this.opener.open(asked, 'day', async ({ siteId, window, reads }) => {
      const revenue = new RevenueReads(reads.client, siteId, window);
      const [observed, recorded] = [await revenue.observed(), await revenue.recorded()];
      return { ok: { currencies: presentRevenue({ observed, recorded, parts: await revenue.parts() }) } };
    });
  }

  async items(asked: AskRevenueItems): Promise<Reply<RevenueItemPage>> {
    const { part, currency, limit, cursor } = asked;
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) {
      return failure('VALIDATION_ERROR', 'Some fields break a rule.', {
        cursor: ['must be the next_cursor of a page'],
      });
    }
    return this.opener.open(asked, 'day', async ({ siteId, window, reads }) => {
      const revenue = new RevenueReads(reads.client, siteId, window);
      const found = await revenue.items(part, currency, { after, limit: limit + 1 });
      const items = found.slice(0, limit);
      const last = items.at(-1);
      const isLast = found.length <= limit || last === undefined;
      return {
        ok: {
          items: items.map((item) => present(item, currency)),
          next_cursor: isLast ? null : cursorAt(last),
        },
      };
    });
  }
}

function present(item: PartItem, currency: string): RevenueItem {
  return {
    order_id: item.orderId,
    event_id: item.eventId,
    record_id: item.recordId,
    occurred_at: item.occurredAt,
    amount: formatMinor(item.amount, currency),
  };
}

function cursorAt({ at, place }: PartItem): string {
  return cursorOf({ at, id: place });
}
