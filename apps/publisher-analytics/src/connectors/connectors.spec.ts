import { describe, expect, it } from '@jest/globals';
import { type Failure, readJson } from '@truetally/kernel';
import { readSettlementRow } from '../domain/read-settlement-row.js';
import { AWIN } from './awin.js';
import { CJ } from './cj.js';
import { DAY_MS, type NetworkConnector, type NetworkPage } from './network-connector.js';

const ACCOUNT = { publisherId: '45628', apiToken: 'secret' };
const NOW_MS = Date.UTC(2026, 2, 31, 12);

function json(text: string): unknown {
  const read = readJson(text);
  return read.ok ? read.value.value : (undefined as Failure | undefined);
}

/** Every page of a span, each with the same answer. */
function pagesOf(connector: NetworkConnector, sinceMs: number | null, answer: unknown): readonly string[] {
  const pages: string[] = [];
  let next: string | null = connector.firstPage({ sinceMs, untilMs: NOW_MS });
  while (next !== null) {
    pages.push(next);
    const page: NetworkPage | undefined = connector.read(next, answer);
    if (page === undefined) throw new Error('The answer is whole.');
    next = page.next;
  }
  return pages;
}

describe.each([
  ['Awin', AWIN],
  ['CJ', CJ],
] as const)('a page of %s that is too large', (_name, connector) => {
  it('a page that is too large is halved down to an hour, and later windows are as small', () => {
    const answer =
      connector === AWIN ? [] : { data: { publisherCommissions: { records: [], payloadComplete: true } } };
    const first = connector.firstPage({ sinceMs: null, untilMs: NOW_MS });
    const halves: string[] = [];
    for (let page = connector.narrower(first); page !== null; page = connector.narrower(page))
      halves.push(page);
    expect(halves.length).toBeGreaterThan(5);
    expect(halves.length).toBeLessThan(12);
    expect(pagesOf(connector, null, answer)).toHaveLength(6);
    let following = 0;
    let next: string | null = halves[1] ?? '';
    while (next !== null) {
      next = connector.read(next, answer)?.next ?? null;
      following += 1;
    }
    // 93 days in windows of less than eight, then again in three of 31.
    expect(following).toBe(Math.ceil(93 / (31 / 4)) + 3);
  });
});

it.each([
  ['Awin', AWIN],
  ['CJ', CJ],
] as const)('a row of %s whose state is no text is refused alone, and ends no pull', (_name, connector) => {
  const state = { toString: 1, valueOf: 1 };
  expect(connector.toRow({ commissionStatus: state, actionStatus: state })).toMatchObject({ status: '' });
});

describe('Awin', () => {
  const queryOf = (page: string) =>
    new URL(AWIN.request(page, ACCOUNT).path, AWIN.defaultBaseUrl).searchParams;

  it('Awin is asked for windows of at most 31 days, by sale and then by judgement, without a gap', () => {
    const pages = pagesOf(AWIN, null, []).map(queryOf);
    expect(pages.map((query) => query.get('dateType'))).toEqual([
      ...Array.from({ length: 3 }, () => 'transaction'),
      ...Array.from({ length: 3 }, () => 'validation'),
    ]);
    for (const [index, query] of pages.entries()) {
      const [from, to] = [Date.parse(`${query.get('startDate')}Z`), Date.parse(`${query.get('endDate')}Z`)];
      expect(to - from).toBeLessThanOrEqual(31 * DAY_MS);
      const follows = pages[index + 1];
      if (index % 3 !== 2) expect(follows?.get('startDate')).toBe(query.get('endDate'));
    }
    expect(pages[5]?.get('endDate')).toBe('2026-03-31T12:00:00');
  });

  it('Awin is asked for a window that begins before it ends, also after a pull by a clock that was days ahead', () => {
    const pages = pagesOf(AWIN, NOW_MS + 10 * DAY_MS, []).map(queryOf);
    expect(pages.map((query) => [query.get('startDate'), query.get('endDate')])).toEqual([
      ['2026-02-28T12:00:00', '2026-03-31T12:00:00'],
      ['2026-03-29T12:00:00', '2026-03-31T12:00:00'],
    ]);
  });

  it('Awin is asked again for the last month of sales, and judgements since before the last pull', () => {
    const pages = pagesOf(AWIN, NOW_MS - 3_600_000, []).map(queryOf);
    expect(pages.map((query) => [query.get('dateType'), query.get('startDate')])).toEqual([
      ['transaction', '2026-02-28T12:00:00'],
      ['validation', '2026-03-29T11:00:00'],
    ]);
  });

  it('a request to Awin has its token in a header, and its account in the path', () => {
    const request = AWIN.request(AWIN.firstPage({ sinceMs: null, untilMs: NOW_MS }), ACCOUNT);
    expect(request.headers).toMatchObject({ authorization: 'Bearer secret' });
    expect(request.path).toMatch(/^\/publishers\/45628\/transactions\/\?/);
    expect(request.path).not.toContain('secret');
  });

  it('an answer of Awin is read by its documented fields, to the last digit', () => {
    const answer = json(`{
      "id": 259630312, "commissionStatus": "deleted", "orderRef": "order-1",
      "commissionAmount": { "amount": 5.595, "currency": "GBP" },
      "saleAmount": { "amount": 55.96, "currency": "GBP" },
      "clickRefs": { "clickRef": "ref-1", "clickRef2": "other" },
      "transactionDate": "2026-02-20T22:04:00", "validationDate": null, "amended": false }`);
    const raw = AWIN.toRow(answer);
    expect(readSettlementRow(raw, NOW_MS, AWIN.isChangeTimed)).toEqual({
      ok: true,
      value: {
        providerTransactionId: '259630312',
        clickReference: 'ref-1',
        orderReference: 'order-1',
        status: 'reversed',
        currency: 'GBP',
        commissionable: 5596n,
        commission: 560n,
        transactionAt: '2026-02-20T22:04:00.000000Z',
        updatedAt: '2026-02-20T22:04:00.000000Z',
        isChangeTimed: false,
      },
    });
  });

  it.each([{}, { error: 'unauthorized' }, 'text', null])('Awin is asked again when it says %j', (answer) => {
    expect(AWIN.read(AWIN.firstPage({ sinceMs: 0, untilMs: NOW_MS }), answer)).toBeUndefined();
  });
});

describe('CJ', () => {
  const first = CJ.firstPage({ sinceMs: NOW_MS - DAY_MS, untilMs: NOW_MS });
  const queryOf = (page: string): string =>
    String((JSON.parse(CJ.request(page, ACCOUNT).body ?? '{}') as { query: string }).query);
  const answer = (commissions: object) => ({
    data: { publisherCommissions: { records: [], ...commissions } },
  });

  it('goes on behind the last commission until the payload is complete', () => {
    const more = CJ.read(first, answer({ payloadComplete: false, maxCommissionId: '77' }));
    expect(queryOf(more?.next ?? '')).toContain('sinceCommissionId: "77"');
    expect(
      CJ.read(more?.next ?? '', answer({ payloadComplete: false, maxCommissionId: '77' })),
    ).toBeUndefined();
    const locking = CJ.read(more?.next ?? '', answer({ payloadComplete: true }))?.next ?? '';
    expect(queryOf(locking)).toContain('sinceLockingDate: "2026-03-28T12:00:00Z"');
    expect(CJ.read(locking, answer({ payloadComplete: true }))?.next).toBeNull();
  });

  it('asks for the account, whatever its id holds', () => {
    const { body } = CJ.request(first, { ...ACCOUNT, publisherId: '9"] ) { count } #' });
    expect(body).toContain(JSON.stringify(JSON.stringify('9"] ) { count } #')).slice(1, -1));
  });

  it.each([
    [{ original: true, actionStatus: 'new' }, 'pending', 778n],
    [{ original: true, actionStatus: 'extended' }, 'pending', 778n],
    [{ original: true, actionStatus: 'locked' }, 'approved', 778n],
    [{ original: true, actionStatus: 'closed' }, 'approved', 778n],
    [{ original: true, actionStatus: 'new', validationStatus: 'DECLINED' }, 'declined', 778n],
    [{ original: false, actionStatus: 'new', pubCommissionAmountUsd: '-7.781' }, 'reversed', 778n],
  ])('says %j of what is %s here', (said, status, commission) => {
    const record = {
      commissionId: '2292067663',
      orderId: 'order-1',
      shopperId: 'ref-1',
      eventDate: '2026-03-03T22:31:48Z',
      postingDate: '2026-03-04T22:31:48Z',
      saleAmountUsd: '75.47',
      pubCommissionAmountUsd: '7.781',
      ...said,
    };
    expect(readSettlementRow(CJ.toRow(record), NOW_MS, false)).toMatchObject({
      ok: true,
      value: { status, commission, currency: 'USD', clickReference: 'ref-1', commissionable: 7547n },
    });
  });

  it.each([{}, { errors: [{ message: 'no' }] }, answer({ payloadComplete: null }), answer({ records: 1 })])(
    'CJ is asked again when it says %j',
    (said) => {
      expect(CJ.read(first, said)).toBeUndefined();
    },
  );
});
