import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Adjustment, MAX_ORDER_ENTRIES, type OrderResource } from '@truetally/contracts/attribution';
import { aLine, anAdjustment, aPurchase, itemOf } from './commands.js';
import type { LedgerDatabase } from './ledger-database.js';
import { accepted, type LedgerProcesses } from './ledger-processes.js';

const ADJUSTMENTS = 5_000;
const GROUP = 500;
/** The default limit of a broker for one message. */
const MESSAGE_BYTES = 1_048_576;

let database: LedgerDatabase;
let processes: LedgerProcesses;

async function readPages(siteId: string, orderId: string): Promise<readonly OrderResource[]> {
  const pages = [accepted(await processes.readOrder(siteId, orderId))];
  for (let cursor = pages[0]?.next_cursor ?? null; cursor !== null;) {
    const page: OrderResource = accepted(await processes.readOrder(siteId, orderId, cursor));
    pages.push(page);
    cursor = page.next_cursor;
  }
  return pages;
}

/** Directly into the ledger, in groups, as the service handles waiting commands. */
async function recordAll(siteId: string, changes: readonly Adjustment[]): Promise<void> {
  const { ledger } = database.replica();
  for (let from = 0; from < changes.length; from += GROUP) {
    const group = changes.slice(from, from + GROUP).map((change) => itemOf(siteId, change));
    const { outcomes } = await ledger.record(group);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
  }
}

const minor = (amount: string): bigint => BigInt(amount.replace('.', ''));
const after = (minutes: number): string => new Date(Date.UTC(2026, 1, 1, 0, minutes)).toISOString();

export function whatALongOrderIs(
  given: () => { readonly database: LedgerDatabase; readonly processes: LedgerProcesses },
): void {
  describe('an order that no single answer could hold', () => {
    beforeAll(() => {
      ({ database, processes } = given());
    });

    it('an order of 5,000 adjustments is read page by page, each entry once, up to the balance', async () => {
      const siteId = randomUUID();
      const purchase = aPurchase();
      const { orderId } = purchase;
      accepted(await processes.convert(siteId, purchase));
      const changes = Array.from({ length: ADJUSTMENTS }, (_, n) =>
        anAdjustment({ orderId, occurredAt: after(n), revenueDelta: 1n, commissionableDelta: 0n }),
      );
      await recordAll(siteId, changes);

      const pages = await readPages(siteId, orderId);
      const entries = pages.flatMap((page) => page.entries);
      const times = entries.map(({ occurred_at }) => occurred_at);
      expect(times).toEqual([purchase, ...changes].map(({ occurredAt }) => occurredAt));
      expect(pages).toHaveLength(Math.ceil((ADJUSTMENTS + 1) / MAX_ORDER_ENTRIES));
      for (const page of pages) {
        expect(page).toMatchObject({ state: 'adjusted', remaining_revenue: '150.00' });
        expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MESSAGE_BYTES);
      }
      const sum = entries.reduce((total, { revenue_delta }) => total + minor(revenue_delta), 0n);
      expect(sum).toBe(15_000n);
    });

    it('an order with long lines has fewer entries on a page, and at least one', async () => {
      const siteId = randomUUID();
      const lineId = '…'.repeat(120);
      const purchase = aPurchase({ lines: [aLine({ lineId })] });
      const { orderId } = purchase;
      accepted(await processes.convert(siteId, purchase));
      const lines = Array.from({ length: 500 }, () => ({ lineId, quantityDelta: '-1', subtotalDelta: -1n }));
      for (let n = 0; n < 8; n += 1) {
        accepted(await processes.convert(siteId, anAdjustment({ orderId, occurredAt: after(n), lines })));
      }
      const pages = await readPages(siteId, orderId);
      expect(pages.length).toBeGreaterThan(1);
      for (const page of pages) expect(page.entries.length).toBeGreaterThanOrEqual(1);
      const shown = pages.flatMap((page) => page.entries).map((entry) => entry.lines?.length);
      expect(shown).toEqual([1, ...Array.from({ length: 8 }, () => 500)]);
    });

    it('refuses cursors of other lists', async () => {
      const siteId = randomUUID();
      const purchase = aPurchase();
      accepted(await processes.convert(siteId, purchase));
      for (const cursor of ['nonsense', '0', '-1', '1.5', '99999999999']) {
        expect(await processes.readOrder(siteId, purchase.orderId, cursor)).toMatchObject({
          error: { code: 'VALIDATION_ERROR', details: { cursor: ['must be the next_cursor of a page'] } },
        });
      }
      const past = accepted(await processes.readOrder(siteId, purchase.orderId, '7'));
      expect(past).toMatchObject({ entries: [], next_cursor: null, remaining_revenue: '100.00' });
    });
  });
}
