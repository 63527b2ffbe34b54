import {
  type Closing,
  copyIn,
  erasedAmong,
  ErasedSites,
  hasSqlState,
  inHotTransaction,
  inOneTrip,
  isUniqueViolation,
  type Trip,
} from '@truetally/persistence';
import { escapeLiteral, type Pool, type PoolClient } from 'pg';
import type { Candidate, PlacedRequest, StoredKey } from '../domain/placed-request.js';
import {
  distinctEvents,
  type SettledRequest,
  settleRequests,
  type TransactionOutcome,
} from '../domain/settle-requests.js';
import { RecentIds } from '../domain/event-key-filter.js';
import { COPY_EVENTS, copyRows, insertEvents } from './event-rows.js';
import { ClosedLookup, findInPartition } from './key-lookup.js';
import type { Partition, PartitionCatalog } from './partition-catalog.js';
import { accountsOf, CounterWriters, rememberRequests } from './request-accounts.js';

export interface EventStoreOptions {
  readonly pool: Pool;
  readonly catalog: PartitionCatalog;
  readonly partitionSeconds: number;
  readonly observer: StoreObserver;
}

/** Receives the store's measurements. */
export interface StoreObserver {
  /** A transaction committed. */
  stored(seconds: number, requests: readonly SettledRequest[]): void;
  /** Number of keys that were looked up in closed partitions, and found. */
  lookedUp(asked: number, found: number): void;
  /** Another transaction stored the same event or counted the same request, meanwhile or before and unknown to this process. */
  collided(): void;
}

/** Stores events exactly once, each request in one transaction with its counters. */
export class EventStore {
  private readonly closedLookup = new ClosedLookup();
  private readonly erasedSites = new ErasedSites();
  private readonly writers = new CounterWriters();
  private readonly recent = new RecentIds();
  /** Transactions that still look up every key first, because one collided. */
  private careful = 0;
  /** What the last transaction found. */
  private opened: OpenedStore | undefined;

  constructor(private readonly options: EventStoreOptions) {}

  /**
   * Stores the new events of these requests in one transaction, in any order; none of an erased site, however
   * old the request is.
   * @returns the outcome of each request, in order
   * @throws Postgres' error; the same requests may be retried
   */
  async store(requests: readonly PlacedRequest[]): Promise<readonly SettledRequest[]> {
    const candidates = distinctEvents(requests);
    let isWaiting = false;
    let isTrusting = this.careful === 0;
    if (!isTrusting) this.careful -= 1;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const startedAt = performance.now();
      try {
        const ahead = isTrusting ? await this.storeAtOnce(requests, candidates) : undefined;
        const settled = ahead ?? (await this.attempt(requests, candidates, { isWaiting, isTrusting }));
        if (settled !== undefined) {
          this.remember(settled);
          this.options.observer.stored((performance.now() - startedAt) / MS_PER_SECOND, settled);
          return settled;
        }
        await this.options.pool.query('select advance_clock($1)', [this.options.partitionSeconds]);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        this.options.observer.collided();
        isWaiting = true;
        isTrusting = false;
        this.careful = CAREFUL_TRANSACTIONS;
      }
    }
    throw new NoOpenPartitionError();
  }

  private remember(settled: readonly SettledRequest[]): void {
    for (const { published } of settled) for (const { event } of published) this.recent.add(event.event_id);
  }

  /**
   * Most transactions ask nothing: the store is as the last one found it, none of their events may be stored, and no
   * request is without one. They are one round trip; Postgres refuses it if the store has changed.
   * @returns undefined when something has to be asked
   */
  private async storeAtOnce(
    requests: readonly PlacedRequest[],
    brought: readonly Candidate[],
  ): Promise<readonly SettledRequest[] | undefined> {
    const { opened } = this;
    // Before a connection is borrowed, which the transaction that asks would borrow again.
    if (opened === undefined || brought.length > MOST_AT_ONCE) return undefined;
    let stored: Omit<TransactionOutcome, 'receivedAt'> | undefined;
    try {
      const rows = await inOneTrip<{ receivedAt: string }>(this.options.pool, (client) => {
        const prepared = this.prepare(client, opened, requests, brought);
        stored = prepared?.outcome;
        return prepared?.trip;
      });
      const receivedAt = rows?.[0]?.receivedAt;
      if (stored === undefined || receivedAt === undefined) return undefined;
      return settleRequests(requests, { ...stored, receivedAt });
    } catch (error) {
      if (hasSqlState(error, STORE_HAS_CHANGED)) return undefined;
      throw error;
    }
  }

  /** All that the transaction does, if it needs no answer for it. */
  private prepare(
    client: PoolClient,
    opened: OpenedStore,
    requests: readonly PlacedRequest[],
    brought: readonly Candidate[],
  ): { readonly outcome: Omit<TransactionOutcome, 'receivedAt'>; readonly trip: Trip } | undefined {
    const { startsAt, erasures, hasErasedPeople } = opened;
    const erased = this.erasedSites.known(client, erasures);
    const writer = this.writers.known(client);
    if (erased === undefined || writer === undefined || !this.options.catalog.isAt(startsAt))
      return undefined;
    const candidates = brought.filter(({ request }) => !erased.has(request.siteId));
    if (hasErasedPeople && candidates.some(({ event }) => event.user_id !== null)) return undefined;
    if (candidates.length === 0 || this.mayBeStored(candidates.map(({ event }) => event.event_id)))
      return undefined;
    const fresh = new Map(candidates.map((candidate) => [candidate.event.event_id, candidate]));
    const outcome = { fresh, known: NOTHING, erased, refused: NOBODY };
    const settled = settleRequests(requests, { ...outcome, receivedAt: '' });
    if (settled.some(({ evidence }) => evidence === 'unknown')) return undefined;
    const closing = accountsOf(settled, ({ evidence }) => evidence === 'stores-now', writer);
    return {
      outcome,
      trip: {
        opening: openStoreAs(opened),
        closing: `${COPY_EVENTS}; ${closing}`,
        rows: copyRows(candidates),
      },
    };
  }

  private mayBeStored(eventIds: readonly string[]): boolean {
    return (
      eventIds.some((eventId) => this.recent.has(eventId)) ||
      this.options.catalog.candidates(eventIds).size > 0
    );
  }

  /** One transaction; undefined when the current partition has ended. */
  private attempt(
    requests: readonly PlacedRequest[],
    candidates: readonly Candidate[],
    way: Way,
  ): Promise<readonly SettledRequest[] | undefined> {
    return inHotTransaction<OpenedStore, readonly SettledRequest[] | undefined>(
      this.options.pool,
      OPEN_STORE,
      async (client, [opened]) => {
        if (opened === undefined) throw new Error('The partition clock does not answer.');
        if (!opened.isOpen) return { value: undefined, closing: '' };
        this.opened = opened;
        return this.storeIn(client, opened, requests, candidates, way);
      },
    );
  }

  private async storeIn(
    client: PoolClient,
    { receivedAt, startsAt, erasures, hasErasedPeople }: OpenedStore,
    requests: readonly PlacedRequest[],
    brought: readonly Candidate[],
    { isWaiting, isTrusting }: Way,
  ): Promise<Closing<readonly SettledRequest[]>> {
    const partition = await this.options.catalog.at(client, startsAt);
    const erased = await this.erasedSites.at(client, erasures);
    const living = brought.filter(({ request }) => !erased.has(request.siteId));
    const refused = hasErasedPeople ? await eventsOfErased(client, living) : NOBODY;
    const candidates = living.filter(({ event }) => !refused.has(event.event_id));
    const known = await this.find(client, partition, candidates, isTrusting);
    const unknown = candidates.filter(({ event }) => !known.has(event.event_id));
    const passedOver = isWaiting ? await insertEvents(client, unknown) : [];
    await findInPartition(client, partition, passedOver, known);
    const fresh = new Map(unknown.map((candidate) => [candidate.event.event_id, candidate]));
    for (const eventId of passedOver) fresh.delete(eventId);
    const settled = settleRequests(requests, { receivedAt, fresh, known, erased, refused });
    let rows = isWaiting ? '' : copyRows(unknown);
    // Events before requests, in every transaction: no two wait for one another in a circle.
    if (!isTrusting && rows !== '' && settled.some(({ evidence }) => evidence === 'unknown')) {
      await copyIn(client, COPY_EVENTS, rows);
      rows = '';
    }
    const { isFirst, remembering } = await rememberRequests(client, settled, isTrusting);
    const accounts = accountsOf(settled, isFirst, await this.writers.of(client));
    const closing = remembering === '' ? accounts : `${remembering}; ${accounts}`;
    return rows === ''
      ? { value: settled, closing }
      : { value: settled, closing: `${COPY_EVENTS}; ${closing}`, rows };
  }

  /**
   * Which of the events are already stored, in the open partition or a closed one.
   * @param isTrusting asks the open partition only about those that this process stored lately: its unique index
   * refuses all others that it has, and the transaction begins again
   */
  private async find(
    client: PoolClient,
    partition: Partition,
    candidates: readonly Candidate[],
    isTrusting: boolean,
  ): Promise<Map<string, StoredKey>> {
    const known = new Map<string, StoredKey>();
    const eventIds = candidates.map(({ event }) => event.event_id);
    const { catalog } = this.options;
    const closed = catalog.candidates(eventIds);
    const asked = await this.closedLookup.find(client, catalog.searched, closed, known);
    this.options.observer.lookedUp(asked, known.size);
    const doubtful = isTrusting ? eventIds.filter((eventId) => this.recent.has(eventId)) : eventIds;
    await findInPartition(client, partition, doubtful, known);
    return known;
  }
}

/** The clock did not settle on a partition: retried later. */
export class NoOpenPartitionError extends Error {
  override readonly name = 'NoOpenPartitionError';
}

/** How an attempt finds and adds events. */
interface Way {
  /** Adds them one by one: waits for a concurrent transaction with the same event, and leaves it its event. */
  readonly isWaiting: boolean;
  readonly isTrusting: boolean;
}

/** A transaction whose partition has ended is restarted; more often than this only with a broken clock. */
const MAX_ATTEMPTS = 5;
/**
 * After a collision, which costs a transaction: whoever repeats events that others stored costs one in so many, and else
 * what looking them up costs.
 */
const CAREFUL_TRANSACTIONS = 100;
const MS_PER_SECOND = 1_000;
/** Of events in one round trip: they are settled twice, for the counters and with their time. */
const MOST_AT_ONCE = 64;
/** Raised by `open_store_as`. */
const STORE_HAS_CHANGED = 'TT001';

interface OpenedStore {
  readonly receivedAt: string;
  readonly startsAt: string;
  readonly isOpen: boolean;
  /** Input of `ErasedSites`. */
  readonly erasures: string;
  /** Whether anybody was ever erased: only then is it asked whose events these are. */
  readonly hasErasedPeople: boolean;
}

const NOBODY: ReadonlySet<string> = new Set();
const NOTHING: ReadonlyMap<string, StoredKey> = new Map();

/** Ids of the events that name an erased person. */
async function eventsOfErased(
  client: PoolClient,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  const named = candidates.flatMap(({ request, event }) =>
    event.user_id === null ? [] : [{ siteId: request.siteId, userId: event.user_id, id: event.event_id }],
  );
  const erased = await erasedAmong(client, named);
  return new Set(named.filter((_, place) => erased.has(place)).map(({ id }) => id));
}

const OPEN_STORE = `
  select to_char(received_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "receivedAt",
    starts_at::text as "startsAt", is_open as "isOpen", erasures_seen() as erasures,
    has_erased_people() as "hasErasedPeople" from open_store()`;

/** The same for a transaction that has prepared what it does. */
function openStoreAs({ startsAt, erasures, hasErasedPeople }: OpenedStore): string {
  return `select to_char(open_store_as(${escapeLiteral(startsAt)}, ${escapeLiteral(erasures)}, ${hasErasedPeople}),
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "receivedAt"`;
}
