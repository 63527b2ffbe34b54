import { type Closing, copyIn, erasedAmong, ErasedSites, inHotTransaction } from '@truetally/persistence';
import type { Pool, PoolClient } from 'pg';
import type { Candidate, PlacedRequest, StoredKey } from '../domain/placed-request.js';
import {
  countRequests,
  distinctEvents,
  type SettledRequest,
  settleRequests,
  trailOf,
} from '../domain/settle-requests.js';
import { RecentIds } from '../domain/event-key-filter.js';
import { COPY_EVENTS, copyRows, INSERT_EVENTS, rowArrays } from './event-rows.js';
import { ClosedLookup, findInPartition } from './key-lookup.js';
import type { Partition, PartitionCatalog } from './partition-catalog.js';
import { CounterWriters, countStatement, rememberRequests, trailStatement } from './request-accounts.js';

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
  /** Another transaction stored the same event, meanwhile or before and unknown to this process. */
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

  constructor(private readonly options: EventStoreOptions) {}

  /**
   * Stores the new events of these requests in one transaction, in any order; none of an erased site, however
   * old the request is.
   * @returns the outcome of each request, in order
   * @throws Postgres' error; the same requests may be retried
   */
  async store(requests: readonly PlacedRequest[]): Promise<readonly SettledRequest[]> {
    const candidates = distinctEvents(requests);
    let add: AddEvents = copyEvents;
    let isTrusting = this.careful === 0;
    if (!isTrusting) this.careful -= 1;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const startedAt = performance.now();
      try {
        const settled = await this.attempt(requests, candidates, { add, isTrusting });
        if (settled !== undefined) {
          this.remember(settled);
          this.options.observer.stored((performance.now() - startedAt) / MS_PER_SECOND, settled);
          return settled;
        }
        await this.options.pool.query('select advance_clock($1)', [this.options.partitionSeconds]);
      } catch (error) {
        if (!isCollision(error)) throw error;
        this.options.observer.collided();
        add = insertEvents;
        isTrusting = false;
        this.careful = CAREFUL_TRANSACTIONS;
      }
    }
    throw new NoOpenPartitionError();
  }

  private remember(settled: readonly SettledRequest[]): void {
    for (const { published } of settled) for (const { event } of published) this.recent.add(event.event_id);
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
        return this.storeIn(client, opened, requests, candidates, way);
      },
    );
  }

  private async storeIn(
    client: PoolClient,
    { receivedAt, startsAt, erasures, hasErasedPeople }: OpenedStore,
    requests: readonly PlacedRequest[],
    brought: readonly Candidate[],
    { add, isTrusting }: Way,
  ): Promise<Closing<readonly SettledRequest[]>> {
    const partition = await this.options.catalog.at(client, startsAt);
    const erased = await this.erasedSites.at(client, erasures);
    const living = brought.filter(({ request }) => !erased.has(request.siteId));
    const refused = hasErasedPeople ? await eventsOfErased(client, living) : NONE;
    const candidates = living.filter(({ event }) => !refused.has(event.event_id));
    const known = await this.find(client, partition, candidates, isTrusting);
    const unknown = candidates.filter(({ event }) => !known.has(event.event_id));
    const passedOver = await add(client, unknown, receivedAt);
    await findInPartition(client, partition, passedOver, known);
    const fresh = new Map(unknown.map((candidate) => [candidate.event.event_id, candidate]));
    for (const eventId of passedOver) fresh.delete(eventId);
    const settled = settleRequests(requests, { receivedAt, fresh, known, erased, refused });
    const first = await rememberRequests(client, settled);
    const writer = await this.writers.of(client);
    const counting = countStatement(receivedAt, writer, countRequests(settled, first));
    const telling = trailStatement(receivedAt, writer, trailOf(settled, first));
    return { value: settled, closing: telling === '' ? counting : `${counting}; ${telling}` };
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
  readonly add: AddEvents;
  readonly isTrusting: boolean;
}

/** Adds events to the open partition; returns the ids that a concurrent transaction stored. */
type AddEvents = (
  client: PoolClient,
  candidates: readonly Candidate[],
  receivedAt: string,
) => Promise<readonly string[]>;

/** A transaction whose partition has ended is restarted; more often than this only with a broken clock. */
const MAX_ATTEMPTS = 5;
/**
 * After a collision, which costs a transaction: whoever repeats events that others stored costs one in so many, and else
 * what looking them up costs.
 */
const CAREFUL_TRANSACTIONS = 100;
const MS_PER_SECOND = 1_000;
const UNIQUE_VIOLATION = '23505';

/** The fast path: it collides with a concurrent transaction, and with an event that was trusted to be new. */
async function copyEvents(
  client: PoolClient,
  candidates: readonly Candidate[],
  receivedAt: string,
): Promise<readonly string[]> {
  if (candidates.length > 0) await copyIn(client, COPY_EVENTS, copyRows(candidates, receivedAt));
  return [];
}

/** The slow path after a collision: waits for the other transaction and skips what it stored. */
async function insertEvents(
  client: PoolClient,
  candidates: readonly Candidate[],
  receivedAt: string,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ event_id: string }>({
    name: 'insert-events',
    text: INSERT_EVENTS,
    values: rowArrays(candidates, receivedAt),
  });
  const stored = new Set(rows.map((row) => row.event_id));
  return candidates.map(({ event }) => event.event_id).filter((eventId) => !stored.has(eventId));
}

interface OpenedStore {
  readonly receivedAt: string;
  readonly startsAt: string;
  readonly isOpen: boolean;
  /** Input of `ErasedSites`. */
  readonly erasures: string;
  /** Whether anybody was ever erased: only then is it asked whose events these are. */
  readonly hasErasedPeople: boolean;
}

const NONE: ReadonlySet<string> = new Set();

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

function isCollision(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}
