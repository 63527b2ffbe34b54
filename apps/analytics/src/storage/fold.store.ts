import { DAY_MS } from '@truetally/kernel';
import { type Closing, ErasedSites, inHotTransaction } from '@truetally/persistence';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { type EventColumns, keyTextAt } from '../domain/event-columns.js';
import type { LedgerEntryFact, TouchFact } from '../domain/facts.js';
import { addEvents } from './event-blocks.js';
import { insertEntries, insertPurchases, insertTouches, type PricedPurchase } from './fact-rows.js';
import type { WorkspaceOf } from './parked-baskets.store.js';
import { addSessions } from './session-writes.js';
import { addSums } from './sum-writes.js';

/** How far a partition was read. */
export interface PartitionProgress {
  readonly topic: string;
  readonly partition: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly readUntil: string;
}

/** The facts of one transaction, in any order, with possible repetitions. */
export interface ToldFacts {
  readonly events: EventColumns;
  readonly purchases: readonly PricedPurchase[];
  readonly entries: readonly LedgerEntryFact[];
  readonly touches: readonly TouchFact[];
  readonly progress: readonly PartitionProgress[];
  /** Whether the next ones wait already: then their fold does not rest. */
  readonly isHurried: boolean;
}

/** Folds of one site take turns, and lock their sites in one order. */
const LOCK_SITES = `
  select pg_advisory_xact_lock(hashtextextended('analytics ' || site_id, 0))
  from (select unnest($1::text[]) as site_id order by 1) as sites`;
/** Look-ups of a fold go by index, also in tables that have grown since they were analysed. */
const BY_INDEX = `select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`;
/** Opens the transaction of a fold, and tells which erasures it must know. */
const OPEN_FOLD = `${BY_INDEX}; select erasures_seen() as seen`;
interface OpenedFold {
  readonly seen: string;
}

/** Events, sessions and ledger entries, each once, with their sums, in one transaction. */
export class FoldStore {
  private readonly erasedSites = new ErasedSites();

  /**
   * @param keepsEvents whether events are kept here; otherwise only purchases, their revenue, and baskets
   * @param workspaceOf by which baskets wait in line
   * @param today as a UTC day since 1970
   */
  constructor(
    private readonly pool: Pool,
    private readonly keepsEvents = true,
    private readonly workspaceOf: WorkspaceOf = (siteId) => siteId,
    private readonly today: () => number = () => Math.floor(Date.now() / DAY_MS),
  ) {}

  /** @throws Postgres' error; the same facts may be retried */
  fold(told: ToldFacts): Promise<void> {
    return inHotTransaction<OpenedFold, undefined>(this.pool, OPEN_FOLD, async (client, [opened]) => {
      const erased = await this.erasedSites.at(client, opened?.seen ?? '0');
      return this.foldIn(client, told, (siteId) => !erased.has(siteId));
    });
  }

  private async foldIn(
    client: PoolClient,
    { events, purchases, entries, touches, progress, isHurried }: ToldFacts,
    isKept: (siteId: string) => boolean,
  ): Promise<Closing<undefined>> {
    const kept = firstOfEach(events, isKept);
    const ofKept = <Fact extends { readonly siteId: string }>(facts: readonly Fact[]): readonly Fact[] =>
      facts.filter(({ siteId }) => isKept(siteId));
    const [keptEntries, keptTouches] = [ofKept(entries), ofKept(touches)];
    const siteIds = new Set(kept.map((place) => events.sites.at(place)));
    for (const { siteId } of [...keptEntries, ...keptTouches]) siteIds.add(siteId);
    await lockSites(client, siteIds);
    const fresh = this.keepsEvents ? await addEvents(client, events, kept) : kept;
    const counted = fresh.filter((place) => events.areBots[place] === 0);
    if (this.keepsEvents) await addSums(client, events, counted);
    const seen = this.keepsEvents
      ? counted
      : counted.filter((place) => (events.products[place]?.length ?? 0) > 0);
    const { keepsEvents: areCounted, workspaceOf } = this;
    await addSessions(client, events, seen, { today: this.today(), areCounted, isHurried, workspaceOf });
    const priced = new Set(purchases.length === 0 ? [] : counted);
    await insertPurchases(
      client,
      purchases.filter(({ place }) => priced.has(place)),
    );
    await insertEntries(client, keptEntries);
    await insertTouches(client, keptTouches);
    await moveProgress(client, progress);
    return { value: undefined, closing: '' };
  }
}

/** Until the transaction ends. */
export async function lockSites(client: ClientBase, siteIds: ReadonlySet<string>): Promise<void> {
  if (siteIds.size > 0) await client.query({ name: 'lock-sites', text: LOCK_SITES, values: [[...siteIds]] });
}

/** Places of events, each event once. */
function firstOfEach(events: EventColumns, isKept: (siteId: string) => boolean): readonly number[] {
  const places: number[] = [];
  const seen = new Set<string>();
  for (let place = 0; place < events.length; place += 1) {
    if (!isKept(events.sites.at(place))) continue;
    const eventId = keyTextAt(events.eventIds, place);
    if (seen.has(eventId)) continue;
    seen.add(eventId);
    places.push(place);
  }
  return places;
}

const MOVE_PROGRESS = `
  insert into fact_progress as known (topic, partition, read_until)
  select topic, partition, least(read_until, date_trunc('milliseconds', clock_timestamp()))
  from json_to_recordset($1::json) as told (topic text, partition integer, read_until timestamptz)
  order by topic, partition
  on conflict (topic, partition) do update set read_until = excluded.read_until
  where known.read_until < excluded.read_until`;

/** Never goes back, and never past the time of Postgres: the clock of this machine may be ahead, and what is to come is not read. */
export async function moveProgress(
  client: Pick<ClientBase, 'query'>,
  progress: readonly PartitionProgress[],
): Promise<void> {
  if (progress.length === 0) return;
  const told = progress.map(({ topic, partition, readUntil }) => ({
    topic,
    partition,
    read_until: readUntil,
  }));
  await client.query({ name: 'move-progress', text: MOVE_PROGRESS, values: [JSON.stringify(told)] });
}
