import { TOPICS } from '@truetally/contracts/topics';
import { formatInstant } from '@truetally/kernel';
import { type Messaging, type ReceivedFact, subscribe, type Subscription } from '@truetally/messaging';
import { type ReportedRestore, reportedRestores } from '@truetally/persistence';
import { isOfLostFuture, isOfUndoneTime, whileAvailable } from '@truetally/service';
import type { Pool } from 'pg';
import { EventColumns } from '../domain/event-columns.js';
import type { LedgerEntryFact, ObservedPurchase, TouchFact } from '../domain/facts.js';
import { observedIn } from '../domain/observed-amount.js';
import { inPieces } from '../in-pieces.js';
import type { SiteDirectory } from '../sites/site-directory.js';
import type { PricedPurchase } from '../storage/fact-rows.js';
import type { FoldStore, PartitionProgress, ToldFacts } from '../storage/fold.store.js';
import { readEntry, readEvent, readTouch } from './read-facts.js';

/** A transaction has the same costs for ten events as for a thousand: under load one takes what waits. */
const FACTS_PER_CALL = 3_000;
/** They are read in two milliseconds. */
const FACTS_A_PIECE = 200;
/** While facts arrive, so that a transaction has many of them. */
const GATHERED = { minBytes: 2_097_152, waitMs: 500 };
/** A fold that begins sooner behind the one before has others behind it: those of all other folds have gathered for longer. */
const BEHIND_MS = 100;
/** The group whose lag is that of reports. */
export const FOLDING = {
  group: 'analytics.fold-facts',
  topics: [TOPICS.eventsStored.name, TOPICS.conversionsRecorded.name, TOPICS.touchesRecorded.name],
};

export interface FoldFactsOptions {
  readonly messaging: Messaging;
  readonly pool: Pool;
  readonly store: FoldStore;
  readonly sites: Pick<SiteDirectory, 'localeOf'>;
  /** Whether all events are read, or those of products alone: elsewhere they are not kept here. */
  readonly keepsEvents: boolean;
  /** How long events are kept. */
  readonly keptMs: number;
}

/** Follows stored events, the ledger, and touches. */
export function foldFacts({
  messaging,
  pool,
  store,
  sites,
  keepsEvents,
  keptMs,
}: FoldFactsOptions): Promise<Subscription> {
  // A restore is reported while the service is stopped.
  let restores: readonly ReportedRestore[] | undefined;
  let endedMs = Number.NEGATIVE_INFINITY;
  const fold = async (facts: readonly ReceivedFact[]): Promise<void> => {
    const known = (restores ??= await reportedRestores(pool));
    // The ledger decides lost records again and ingestion stores lost events again, each at another time: both are published.
    const told = await toldBy(facts, sites, {
      isHurried: performance.now() - endedMs < BEHIND_MS,
      keepsEvents,
      keptMs,
      isLostRecord: (fact) => isOfLostFuture(fact, known),
      isLostEvent: (fact) => isOfUndoneTime(fact, known),
    });
    await store.fold(told);
    endedMs = performance.now();
  };
  return subscribe(messaging, {
    ...FOLDING,
    factsPerCall: FACTS_PER_CALL,
    gathered: GATHERED,
    handler: (facts) => whileAvailable(() => fold(facts)),
  });
}

/** What of the facts is read. */
export interface ReadOptions {
  /** Whether the next ones wait already. */
  readonly isHurried?: boolean;
  readonly keepsEvents?: boolean;
  readonly keptMs?: number;
  /** Whether a restore has undone what a fact of the ledger tells. */
  readonly isLostRecord?: (fact: ReceivedFact) => boolean;
  /** The same of a stored event. */
  readonly isLostEvent?: (fact: ReceivedFact) => boolean;
}

/** In the text of each event that tells of products: the others need not be parsed. */
const OF_PRODUCTS = /"(?:purchase|product_view|add_to_cart)"/;

/**
 * Reads facts, in pieces.
 * @throws UnreadableError for an invalid fact; the bus dead-letters it
 */
export async function toldBy(
  facts: readonly ReceivedFact[],
  sites: Sites,
  { isHurried = false, ...options }: ReadOptions = {},
): Promise<ToldFacts> {
  const told = nothingTold(facts, isHurried);
  await inPieces(facts, { size: FACTS_A_PIECE, isHurried }, (piece) => {
    readInto(told, piece, sites, options);
  });
  return told;
}

type Sites = Pick<SiteDirectory, 'localeOf'>;

/** What is read is added to. */
interface GrowingFacts extends ToldFacts {
  readonly purchases: PricedPurchase[];
  readonly entries: LedgerEntryFact[];
  readonly touches: TouchFact[];
}

function nothingTold(facts: readonly ReceivedFact[], isHurried: boolean): GrowingFacts {
  const events = new EventColumns(facts.length);
  return { events, purchases: [], entries: [], touches: [], progress: progressOf(facts), isHurried };
}

function readInto(
  { events, purchases, entries, touches }: GrowingFacts,
  facts: readonly ReceivedFact[],
  sites: Sites,
  {
    keepsEvents = true,
    keptMs = Infinity,
    isLostRecord = () => false,
    isLostEvent = () => false,
  }: ReadOptions,
): void {
  for (const fact of facts) {
    const { topic, value } = fact;
    if (value === null) continue;
    if (topic === TOPICS.eventsStored.name) {
      if (isLostEvent(fact)) continue;
      if (!keepsEvents && !OF_PRODUCTS.test(value)) continue;
      const purchase = readEvent(value, fact, events, keptMs);
      if (purchase !== undefined) purchases.push(priced(purchase, sites));
    } else if (topic === TOPICS.touchesRecorded.name) touches.push(readTouch(value));
    else if (!isLostRecord(fact)) entries.push(...entriesIn(value));
  }
}

function entriesIn(value: string): readonly LedgerEntryFact[] {
  const entry = readEntry(value);
  return entry === undefined ? [] : [entry];
}

/** A purchase without a currency of its own is in the one that its site has when it is read. */
function priced(purchase: ObservedPurchase, sites: Sites): PricedPurchase {
  const currency = purchase.currency ?? sites.localeOf(purchase.siteId).currency;
  return { ...purchase, currency, amount: observedIn(currency, purchase.amount) };
}

function progressOf(facts: readonly ReceivedFact[]): readonly PartitionProgress[] {
  const newest = new Map<string, NewestFact>();
  let last: NewestFact | undefined;
  for (const { topic, partition, timestampMs } of facts) {
    // Those of a partition come together.
    if (last?.topic !== topic || last.partition !== partition) {
      const key = `${topic} ${partition}`;
      last = newest.get(key) ?? { topic, partition, timestampMs };
      newest.set(key, last);
    }
    last.timestampMs = Math.max(last.timestampMs, timestampMs);
  }
  return [...newest.values()].map(({ topic, partition, timestampMs }) => ({
    topic,
    partition,
    readUntil: formatInstant(timestampMs),
  }));
}

interface NewestFact extends Pick<ReceivedFact, 'partition' | 'topic'> {
  timestampMs: number;
}
