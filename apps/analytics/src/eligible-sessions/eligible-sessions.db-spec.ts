import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Calendar } from '@truetally/kernel';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { TouchFact } from '../domain/facts.js';
import { EventColumns } from '../domain/event-columns.js';
import { sessionKeyOf, touchKeyOf } from '../domain/keys.js';
import { FoldStore } from '../storage/fold.store.js';
import { ReportReads } from '../storage/report-reads.js';
import { openAnalyticsDatabase } from '../testing/analytics-database.js';
import { readEligibleSessions } from './read-eligible-sessions.js';

const NOW_MS = Date.parse('2026-04-02T12:00:00Z');
const BERLIN = new Calendar('Europe/Berlin');

let database: ServiceDatabase;
let store: FoldStore;
let handle: ReturnType<typeof readEligibleSessions>;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  const pool = database.openPool(2);
  store = new FoldStore(pool);
  handle = readEligibleSessions(new ReportReads(pool), { calendarOf: () => BERLIN }, () => NOW_MS);
});

afterAll(() => database.close());

type Told = readonly [session: string | null, provider: string, partner: string | null, occurredAt: string];

async function count(told: readonly Told[], asked: object) {
  const siteId = randomUUID();
  const touches = told.map(([session, provider, partnerId, occurredAt], index): TouchFact => ({
    siteId,
    touchKey: touchKeyOf(siteId, String(index)),
    sessionKey: session === null ? null : sessionKeyOf(siteId, session),
    provider,
    partnerId,
    occurredAt,
  }));
  await store.fold({
    events: new EventColumns(0),
    purchases: [],
    entries: [],
    touches: [...touches, ...touches],
    progress: [],
    isHurried: false,
  });
  const question = { site_id: siteId, days: 4, providers: [], partner_ids: [], ...asked };
  const reply = await handle(question);
  if ('error' in reply) throw new Error(JSON.stringify(reply.error));
  const { days, mean_per_day, reason } = reply.ok;
  return { days: days.map(({ date, sessions }) => [date, sessions]), mean_per_day, reason };
}

describe('the eligible sessions of a site', () => {
  it('sessions count on the site’s day of their first touch that meets the eligibility', async () => {
    const told: readonly Told[] = [
      ['early', 'awin', '1', '2026-03-20T10:00:00Z'],
      ['early', 'awin', '1', '2026-03-30T10:00:00Z'],
      ['a', 'cj', '1', '2026-03-29T10:00:00Z'],
      // Already the 31st in Berlin.
      ['a', 'awin', '1', '2026-03-30T22:30:00Z'],
      ['a', 'awin', '1', '2026-03-31T10:00:00Z'],
      ['b', 'awin', '2', '2026-03-31T10:00:00Z'],
      [null, 'awin', '1', '2026-03-31T10:00:00Z'],
      ['today', 'awin', '1', '2026-04-02T10:00:00Z'],
    ];
    expect(await count(told, { providers: ['awin'] })).toEqual({
      days: [
        ['2026-03-29', 0],
        ['2026-03-30', 0],
        ['2026-03-31', 2],
        ['2026-04-01', 0],
      ],
      mean_per_day: 0.5,
      reason: undefined,
    });
    const both = await count(told, { providers: ['awin'], partner_ids: ['1'] });
    expect(both.days.map(([, sessions]) => sessions)).toEqual([0, 0, 1, 0]);
    const any = await count(told, {});
    expect(any.days.map(([, sessions]) => sessions)).toEqual([1, 0, 1, 0]);
  });

  it('the mean is over the days since the first touch of the site', async () => {
    const told: readonly Told[] = [
      [null, 'cj', null, '2026-03-31T10:00:00Z'],
      ['a', 'awin', null, '2026-04-01T10:00:00Z'],
    ];
    expect((await count(told, {})).mean_per_day).toBe(0.5);
  });

  it('there is no mean before one whole day, and a reason', async () => {
    const today: Told = ['a', 'awin', null, '2026-04-02T10:00:00Z'];
    for (const told of [[], [today]]) {
      expect(await count(told, {})).toMatchObject({ mean_per_day: null, reason: expect.any(String) });
    }
  });
});
