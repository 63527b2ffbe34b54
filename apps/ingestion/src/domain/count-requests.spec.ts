import { describe, expect, it } from '@jest/globals';
import { anEvent, aRequest } from '../testing/requests.js';
import { countRequests } from './count-requests.js';
import type { SettledRequest } from './settle-requests.js';

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
      { siteId, failed },
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

describe('the counters of a transaction', () => {
  it('events of erased people count as failed, so that the counters balance', () => {
    const [counts] = countRequests([settled('a', 5, 2, 1, 2)], () => true);
    expect(counts).toEqual({ siteId: 'a', received: 6, stored: 2, deduplicated: 1, failed: 3 });
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
    expect(countRequests([first, nothing, late], (one) => one === first)).toEqual([
      { siteId: 'a', received: 5, stored: 3, deduplicated: 1, failed: 1 },
    ]);
  });

  it('omit a site without new events', () => {
    expect(countRequests([settled('a', 3, 0, 1)], () => false)).toEqual([]);
  });

  it('the counters of a transaction have a first request that stores only duplicates', () => {
    expect(countRequests([settled('a', 3, 0)], () => true)).toEqual([
      { siteId: 'a', received: 3, stored: 0, deduplicated: 3, failed: 0 },
    ]);
  });
});
