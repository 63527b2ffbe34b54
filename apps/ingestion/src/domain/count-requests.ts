import { failedItems, type ReasonCount } from '@truetally/contracts/events';
import type { SettledRequest } from './settle-requests.js';

/** Why ingestion itself refuses an item: the gateway's answer to it says the same. */
const PERSON_ERASED = { code: 'FORBIDDEN', field: 'user_id' } as const;

/** What one transaction adds to a site's counters of one hour: received = stored + deduplicated + failed. */
export interface SiteCounts {
  readonly siteId: string;
  received: number;
  stored: number;
  deduplicated: number;
  failed: number;
  /** Why items failed: the counts sum to `failed`. */
  readonly reasons: Map<string, ReasonCount>;
  /** Requests that were refused whole, by HTTP status. */
  readonly requests: Map<number, number>;
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
    const { siteId, events, refusals } = one.request;
    const isCounted = isFirst(one);
    if (!isCounted && one.storedRows === 0) continue;
    const counts = sites.get(siteId) ?? noCounts(siteId);
    sites.set(siteId, counts);
    counts.stored += one.storedRows;
    if (!isCounted) {
      counts.received += one.storedRows;
      continue;
    }
    const failed = failedItems(refusals);
    counts.received += events.length + failed;
    counts.deduplicated += events.length - one.storedRows - one.refused;
    counts.failed += failed + one.refused;
    for (const reason of refusals.failed) addReason(counts, reason);
    if (one.refused > 0) addReason(counts, { ...PERSON_ERASED, count: one.refused });
    for (const { status, count } of refusals.requests) {
      counts.requests.set(status, (counts.requests.get(status) ?? 0) + count);
    }
  }
  return [...sites.values()].sort((a, b) => (a.siteId < b.siteId ? -1 : 1));
}

function noCounts(siteId: string): SiteCounts {
  const none = { received: 0, stored: 0, deduplicated: 0, failed: 0 };
  return { siteId, ...none, reasons: new Map(), requests: new Map() };
}

function addReason({ reasons }: SiteCounts, { code, field, count }: ReasonCount): void {
  const name = `${code} ${field ?? ''}`;
  reasons.set(name, { code, field, count: count + (reasons.get(name)?.count ?? 0) });
}
