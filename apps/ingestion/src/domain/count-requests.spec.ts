import { describe, expect, it } from '@jest/globals';
import { NO_REFUSALS } from '@truetally/contracts/events';
import { anEvent, aRequest, refusing } from '../testing/requests.js';
import { countRequests, type SettledRequest, type SiteCounts } from './settle-requests.js';

function settled(
  siteId: string,
  events: number,
  storedRows: number,
  failed = 0,
  refused = 0,
): SettledRequest {
  return {
    request: aRequest(
      Array.from({ length: events }, () => anEvent()),
      { siteId, refusals: refusing(failed) },
    ),
    isErased: false,
    verdicts: [],
    published: [],
    storedRows,
    evidence: 'unknown',
    conflicts: 0,
    refused,
  };
}

/** The sums of each site, without reasons. */
function sumsOf(counts: readonly SiteCounts[]): object[] {
  return counts.map(({ siteId, received, stored, deduplicated, failed }) => {
    return { siteId, received, stored, deduplicated, failed };
  });
}

describe('the counters of a transaction', () => {
  it('events of erased people count as failed, so that the counters balance', () => {
    const [counts] = countRequests([settled('a', 5, 2, 1, 2)], () => true);
    expect(counts).toMatchObject({ siteId: 'a', received: 6, stored: 2, deduplicated: 1, failed: 3 });
    expect([...(counts?.reasons.values() ?? [])]).toEqual([
      { code: 'VALIDATION_ERROR', field: 'session_id', count: 1 },
      { code: 'FORBIDDEN', field: 'user_id', count: 2 },
    ]);
  });

  it('reasons of one code are counted by their fields', () => {
    const failed = ['session_id', 'user_id', null].map((field) => {
      return { code: 'VALIDATION_ERROR', field, count: 1 } as const;
    });
    const refusals = { ...NO_REFUSALS, failed };
    const one = { ...settled('a', 0, 0), request: aRequest([], { refusals }) };
    expect([...(countRequests([one], () => true)[0]?.reasons.values() ?? [])]).toEqual(failed);
  });

  it('reasons and whole requests of one site are added up, those of a redelivery are not', () => {
    const request = aRequest([], {
      siteId: 'a',
      refusals: {
        items: [],
        failed: [{ code: 'VALIDATION_ERROR', field: 'properties.query', count: 2 }],
        requests: [{ status: 413, count: 3 }],
      },
    });
    const one = { ...settled('a', 0, 0), request };
    const [counts] = countRequests([one, { ...one }, { ...one }], (each) => each !== one);
    expect(counts).toMatchObject({ received: 4, failed: 4 });
    expect([...(counts?.requests ?? [])]).toEqual([[413, 6]]);
    expect([...(counts?.reasons.values() ?? [])]).toEqual([
      { code: 'VALIDATION_ERROR', field: 'properties.query', count: 4 },
    ]);
  });

  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']], [['b', 'c', 'a']], [['c', 'a', 'b']]])(
    'come in one order of sites, so that no two transactions wait for each other: %j',
    (sites) => {
      const counts = countRequests(
        sites.map((siteId) => settled(siteId, 1, 1)),
        () => true,
      );
      expect(counts.map(({ siteId }) => siteId)).toEqual(['a', 'b', 'c']);
    },
  );

  it('count a request once, and of its redelivery only newly stored events', () => {
    const first = settled('a', 3, 2, 1);
    const [nothing, late] = [settled('a', 3, 0, 1), settled('a', 3, 1, 1)];
    expect(sumsOf(countRequests([first, nothing, late], (one) => one === first))).toEqual([
      { siteId: 'a', received: 5, stored: 3, deduplicated: 1, failed: 1 },
    ]);
  });

  it('omit a site without new events', () => {
    expect(countRequests([settled('a', 3, 0, 1)], () => false)).toEqual([]);
  });

  it('the counters of a transaction have a first request that stores only duplicates', () => {
    expect(sumsOf(countRequests([settled('a', 3, 0)], () => true))).toEqual([
      { siteId: 'a', received: 3, stored: 0, deduplicated: 3, failed: 0 },
    ]);
  });
});
