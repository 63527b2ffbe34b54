import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_HISTORY, MAX_HISTORY_COUNT, type SettlementResource } from '@truetally/contracts/publisher';
import type { ServiceDatabase } from '@truetally/testing-product';
import { countingRows } from '../testing/counting-rows.js';
import { openPublisherDatabase } from '../testing/publisher-database.js';
import { type SettlementPosition, SettlementReads } from './settlement-reads.js';

const SETTLEMENTS = 60;
const STATES = 1_200;
/** Of histories, and the current states of a page. */
const PAGE_BYTES = 1.2 * 1024 * 1024;
const LIMIT = 200;

let database: ServiceDatabase;
let reads: SettlementReads;
let rowsRead: () => number;
const siteId = randomUUID();

beforeAll(async () => {
  database = await openWithHistories();
  const { counted, rows } = countingRows(database.openPool(1));
  reads = new SettlementReads(counted);
  rowsRead = rows;
});

afterAll(() => database.close());

async function openWithHistories(): Promise<ServiceDatabase> {
  const opened = await openPublisherDatabase();
  const columns = `order_reference, status, currency, commissionable, commission, transaction_at, updated_at, recorded_at`;
  const state = (second: string) =>
    `'order-' || n, 'pending', 'EUR', 100, 5, timestamptz '2026-03-01' + n * interval '1 second',
     timestamptz '2026-03-02' + ${second} * interval '1 second', timestamptz '2026-03-03'`;
  await opened.owner.query(
    `with added as (
       insert into settlements (settlement_id, site_id, provider, provider_transaction_id, ${columns})
       select gen_random_uuid(), $1, 'awin', n::text, ${state(String(STATES))} from generate_series(1, ${SETTLEMENTS}) n
       returning settlement_id, provider_transaction_id::integer as n)
     insert into settlement_states (settlement_id, ${columns})
     select settlement_id, ${state('m')} from added cross join generate_series(1, ${STATES - 1}) m`,
    [siteId],
  );
  return opened;
}

async function everyPage(): Promise<readonly (readonly SettlementResource[])[]> {
  const pages: (readonly SettlementResource[])[] = [];
  let after: SettlementPosition | null = null;
  do {
    const page = await reads.page(siteId, 'awin', LIMIT, after);
    pages.push(page.settlements);
    after = page.next;
  } while (after !== null && pages.length <= SETTLEMENTS);
  return pages;
}

describe('a page of settlements with long histories', () => {
  it('a page of long histories has the newest states, within its bytes, and leaves out no settlement', async () => {
    const before = rowsRead();
    const pages = await everyPage();
    const found = pages.flat();
    expect(found.map((one) => Number(one.provider_transaction_id))).toEqual(
      Array.from({ length: SETTLEMENTS }, (_, n) => SETTLEMENTS - n),
    );
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(PAGE_BYTES);
    expect(pages.length).toBeGreaterThan(1);
    expect(rowsRead() - before).toBeLessThan(SETTLEMENTS * (MAX_HISTORY + 2) * 2);
    for (const { history, history_count, updated_at } of found) {
      expect([history.length, history_count]).toEqual([MAX_HISTORY, MAX_HISTORY_COUNT]);
      expect(history.at(-1)?.updated_at).toBe(updated_at);
      const times = history.map((state) => state.updated_at);
      expect(times).toEqual([...times].sort());
    }
  });

  it('leads to pages of each history, which have every state once, newest first', async () => {
    const [settlement] = (await reads.page(siteId, 'awin', 1, null)).settlements;
    const asked = { siteId, provider: 'awin', settlementId: settlement?.id ?? '' };
    const times: string[] = [];
    let before: string | null = null;
    do {
      const page = await reads.history(asked, LIMIT, before);
      if (page === undefined) throw new Error('The settlement is known.');
      expect(page.states.length).toBeLessThanOrEqual(LIMIT);
      times.push(...page.states.map((state) => state.updated_at));
      before = page.next;
    } while (before !== null && times.length <= STATES);
    expect(times).toHaveLength(STATES);
    expect(times).toEqual([...new Set(times)].sort().reverse());
    expect(await reads.history({ ...asked, siteId: randomUUID() }, LIMIT, null)).toBeUndefined();
    expect(await reads.history({ ...asked, provider: 'cj' }, LIMIT, null)).toBeUndefined();
  });
});
