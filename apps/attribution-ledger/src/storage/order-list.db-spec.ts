import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aCancellation, aPurchase, itemOf } from '../testing/commands.js';
import { type LedgerDatabase, openLedgerDatabase, type Replica } from '../testing/ledger-database.js';
import { type OrderFilter, OrderListStore } from './order-list.store.js';

let database: LedgerDatabase;
let replica: Replica;

beforeAll(async () => {
  database = await openLedgerDatabase();
  replica = database.replica();
});

afterAll(() => database.close());

const ALL = { state: null, currency: null, from: null, to: null, prefix: null, term: null, after: null };

/** All pages of a list. @returns the order ids of each page */
async function pagesOf(list: OrderListStore, filter: OrderFilter): Promise<readonly string[][]> {
  const pages: string[][] = [];
  let after: string | null = null;
  do {
    const page = await list.list({ ...filter, after });
    if (page === undefined) throw new Error('The cursor was not found.');
    pages.push(page.rows.map(({ order_id }) => order_id));
    after = page.next;
  } while (after !== null);
  return pages;
}

async function sell(siteId: string, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, n) => `order-${String(n).padStart(4, '0')}`);
  await replica.ledger.record(ids.map((orderId) => itemOf(siteId, aPurchase({ orderId }))));
  return ids;
}

describe('the list of orders', () => {
  it('a page ends early after so many orders of which few pass its filter, and the list misses none', async () => {
    const siteId = randomUUID();
    const ids = await sell(siteId, 40);
    // Among them the last one that a page looks at.
    const cancelled = ids.filter((_, n) => n % 15 === 7 || n === 9);
    await replica.ledger.record(
      cancelled.map((orderId) => itemOf(siteId, aCancellation({ orderId, reversedRevenue: 10_000n }))),
    );
    const list = new OrderListStore(replica.pool, 10);
    const filter = { ...ALL, siteId, limit: 3 };
    for (const prefix of [null, 'order']) {
      const pages = await pagesOf(list, { ...filter, prefix, state: 'cancelled' });
      expect(pages.flat()).toEqual(cancelled);
      const rest = await pagesOf(list, { ...filter, prefix, state: 'recorded' });
      expect(rest.flat()).toEqual(ids.filter((id) => !cancelled.includes(id)));
      const none = await pagesOf(list, { ...filter, prefix, currency: 'USD' });
      expect(none.length).toBeGreaterThan(3);
      expect(none.flat()).toEqual([]);
    }
  });

  it('orders of one instant are continued by their ids, and no page has one twice', async () => {
    const siteId = randomUUID();
    const ids = await sell(siteId, 25);
    const list = new OrderListStore(replica.pool);
    for (const limit of [1, 7, 24, 25, 26]) {
      const pages = await pagesOf(list, { ...ALL, siteId, limit });
      expect(pages.flat()).toEqual(ids);
      expect(pages.length).toBe(Math.ceil(25 / limit));
    }
  });

  it('a page of many orders reads as many of them as it lists, by an index', async () => {
    const siteId = randomUUID();
    await database.owner.query(
      `insert into orders select gen_random_uuid(), $1, 'o' || n, n, 'EUR', 'recorded', 1 from generate_series(1, 50000) n`,
      [siteId],
    );
    await database.owner.query('analyze orders');
    const statements: string[] = [];
    const recording = {
      query: async (text: string, values: readonly unknown[]) => {
        const plan = await replica.pool.query<Record<string, string>>(
          `explain (analyze, timing off) ${text}`,
          [...values],
        );
        statements.push(plan.rows.map((row) => row['QUERY PLAN'] ?? '').join('\n'));
        return { rows: [] };
      },
    };
    const list = new OrderListStore(recording as unknown as typeof replica.pool);
    await list.list({ ...ALL, siteId, limit: 50 });
    await list.list({ ...ALL, siteId, prefix: 'o49', limit: 50 });
    expect(statements[0]).toContain('orders_newest_first');
    expect(statements[1]).toContain('orders_order_id');
    for (const plan of statements) {
      expect(plan).not.toContain('Seq Scan');
      const scanned = /Index Scan using orders_\w+ on orders [^\n]*actual rows=(\d+)/.exec(plan)?.[1];
      expect(Number(scanned)).toBeLessThanOrEqual(51);
    }
  });
});
