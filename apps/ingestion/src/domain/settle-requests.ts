import {
  type AcceptedEvent,
  failedItems,
  type ReasonCount,
  type StoredVerdict,
} from '@truetally/contracts/events';
import type { Candidate, PlacedRequest, StoredKey } from './placed-request.js';

/** The state of one transaction after its new events are in the table. */
export interface TransactionOutcome {
  /** The new events' storing time, ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** Events that this transaction stored, by id. */
  readonly fresh: ReadonlyMap<string, Candidate>;
  /** Events that were stored before, by id. */
  readonly known: ReadonlyMap<string, StoredKey>;
  /** Erased sites: nothing is stored for them. */
  readonly erased: ReadonlySet<string>;
  /** Events of erased people, by id: nothing is stored of them. */
  readonly refused: ReadonlySet<string>;
}

/** The outcome of one request: its answer, its facts, and its contribution to the counters. */
export interface SettledRequest {
  readonly request: PlacedRequest;
  /** Its site is erased: it has no verdicts, and is not counted. */
  readonly isErased: boolean;
  readonly verdicts: readonly StoredVerdict[];
  /**
   * Events to publish, with their time of storage: the new ones, and in a redelivery those that were new in
   * the first delivery.
   */
  readonly published: readonly { readonly event: AcceptedEvent; readonly receivedAt: string }[];
  /** Number of rows that this transaction stored for it. */
  readonly storedRows: number;
  /** A row that it stored earlier is evidence; a request without one is looked up in `handled_requests`. */
  readonly evidence: 'handled-before' | 'stores-now' | 'unknown';
  /** Replays whose content differs from the stored one. */
  readonly conflicts: number;
  /** Events of erased people. */
  readonly refused: number;
}

/**
 * Each event id once, with the first request that contains it, in the order of ids: the same in all
 * transactions.
 */
export function distinctEvents(requests: readonly PlacedRequest[]): readonly Candidate[] {
  const first = new Map<string, Candidate>();
  for (const request of requests) {
    for (const event of request.events) {
      if (!first.has(event.event_id)) first.set(event.event_id, { request, event });
    }
  }
  return [...first.values()].sort((a, b) => (a.event.event_id < b.event.event_id ? -1 : 1));
}

/**
 * An event is new for the request that stored it, also in a redelivery, and a duplicate for every other.
 * Within a request only the first item of a key can be new.
 */
export function settleRequests(
  requests: readonly PlacedRequest[],
  outcome: TransactionOutcome,
): readonly SettledRequest[] {
  const handled = new Set<string>();
  return requests.map((request) => {
    if (outcome.erased.has(request.siteId)) return erasedRequest(request);
    const settled = settle(request, outcome, handled.has(request.correlationId));
    handled.add(request.correlationId);
    return settled;
  });
}

function erasedRequest(request: PlacedRequest): SettledRequest {
  const nothing = { verdicts: [], published: [], storedRows: 0, conflicts: 0, refused: 0 };
  return { request, isErased: true, evidence: 'handled-before', ...nothing };
}

function settle(request: PlacedRequest, outcome: TransactionOutcome, isRepeated: boolean): SettledRequest {
  const verdicts: StoredVerdict[] = [];
  const published: { event: AcceptedEvent; receivedAt: string }[] = [];
  const seen = new Set<string>();
  let storedRows = 0;
  let conflicts = 0;
  let refused = 0;
  let wasHandledBefore = isRepeated;
  for (const event of request.events) {
    if (outcome.refused.has(event.event_id)) {
      refused += 1;
      verdicts.push({ verdict: 'refused', receivedAt: outcome.receivedAt });
      continue;
    }
    const owner = ownerOf(event, outcome);
    // Of a copy, too: a produce whose acknowledgement is lost writes the request at a second position.
    const isNew = !seen.has(event.event_id) && owner.correlationId === request.correlationId;
    seen.add(event.event_id);
    verdicts.push({ verdict: isNew ? 'stored' : 'duplicate', receivedAt: owner.receivedAt });
    if (isNew) published.push({ event, receivedAt: owner.receivedAt });
    else if (owner.contentHash !== event.content_hash) conflicts += 1;
    if (isNew && owner.isFresh && !isRepeated) storedRows += 1;
    if (isNew && !owner.isFresh) wasHandledBefore = true;
  }
  const evidence = wasHandledBefore ? 'handled-before' : storedRows > 0 ? 'stores-now' : 'unknown';
  return { request, isErased: false, verdicts, published, storedRows, evidence, conflicts, refused };
}

interface Owner extends StoredKey {
  readonly isFresh: boolean;
}

function ownerOf(event: AcceptedEvent, { fresh, known, receivedAt }: TransactionOutcome): Owner {
  const candidate = fresh.get(event.event_id);
  if (candidate !== undefined) {
    const { request } = candidate;
    return {
      eventId: event.event_id,
      receivedAt,
      correlationId: request.correlationId,
      contentHash: candidate.event.content_hash,
      isFresh: true,
    };
  }
  const stored = known.get(event.event_id);
  if (stored === undefined) throw new Error('An event is neither new nor stored.');
  return { ...stored, isFresh: false };
}

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

/** What the trail keeps of an item that stored nothing (interface page, section 9): nothing of its content. */
export interface TrailRow {
  readonly siteId: string;
  readonly outcome: 'duplicate' | 'refused';
  readonly requestId: string;
  readonly index: number | null;
  /** Of a duplicate. */
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly clientEventId: string | null;
  readonly trust: string | null;
  readonly isBot: boolean | null;
  /** Of what was refused, as are the field, the rule that it breaks, and the status of a request refused whole. */
  readonly code: string | null;
  readonly field: string | null;
  readonly rule: string | null;
  readonly status: number | null;
}

const NO_REASON = { code: null, field: null, rule: null, status: null };
const NO_EVENT = { eventId: null, isBot: null };

/** Each duplicate and each refused item once, however often its request is delivered, in the order of the requests. */
export function trailOf(
  settled: readonly SettledRequest[],
  isFirst: (request: SettledRequest) => boolean,
): readonly TrailRow[] {
  const rows: TrailRow[] = [];
  for (const one of settled) {
    const { siteId, requestId, trust, events, refusals } = one.request;
    const storedAll = one.storedRows === events.length && refusals.items.length === 0;
    if (one.isErased || storedAll || !isFirst(one)) continue;
    events.forEach((event, place) => {
      const verdict = one.verdicts[place]?.verdict;
      const { index, event_type: eventType, client_event_id: clientEventId } = event;
      const item = { siteId, requestId, index, eventType, clientEventId, trust };
      if (verdict === 'duplicate') {
        const { event_id: eventId, is_bot: isBot } = event;
        rows.push({ ...item, ...NO_REASON, outcome: 'duplicate', eventId, isBot });
      } else if (verdict === 'refused') {
        const reason = { ...PERSON_ERASED, rule: 'names a person who was erased', status: null };
        rows.push({ ...item, ...reason, ...NO_EVENT, outcome: 'refused' });
      }
    });
    for (const item of refusals.items) rows.push({ ...item, ...NO_EVENT, siteId, outcome: 'refused' });
  }
  return rows;
}
