import type { SettledRequest } from './settle-requests.js';

/** What one transaction adds to a site's counters of one hour: received = stored + deduplicated + failed. */
export interface SiteCounts {
  readonly siteId: string;
  received: number;
  stored: number;
  deduplicated: number;
  failed: number;
}

/**
 * Each request is counted once, however often it is delivered; stored events are always counted, so that the
 * counters equal the table. In the order of site ids.
 * @param isFirst whether there is no evidence of an earlier handling
 */
export function countRequests(
  settled: readonly SettledRequest[],
  isFirst: (request: SettledRequest) => boolean,
): readonly SiteCounts[] {
  const sites = new Map<string, SiteCounts>();
  for (const one of settled) {
    const { siteId, events, failed } = one.request;
    const isCounted = isFirst(one);
    if (!isCounted && one.storedRows === 0) continue;
    const counts = sites.get(siteId) ?? { siteId, received: 0, stored: 0, deduplicated: 0, failed: 0 };
    sites.set(siteId, counts);
    counts.stored += one.storedRows;
    counts.received += isCounted ? events.length + failed : one.storedRows;
    counts.deduplicated += isCounted ? events.length - one.storedRows - one.refused : 0;
    counts.failed += isCounted ? failed + one.refused : 0;
  }
  return [...sites.values()].sort((a, b) => (a.siteId < b.siteId ? -1 : 1));
}
