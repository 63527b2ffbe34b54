import {
  type AttributionSettings,
  instantColumn,
  type RecordConversion,
} from '@truetally/contracts/attribution';
import { compareRevisions, type Failure, NO_REVISION } from '@truetally/kernel';
import {
  appendToOutbox,
  type Closing,
  decideUntilWon,
  ErasedSites,
  inPipelinedTransaction,
} from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { decideGroup, type GroupItem, keyOf, type Known, type Outcome } from '../domain/decide-group.js';
import { rowsOf } from '../domain/facts.js';
import type { KnownTouch } from '../domain/commission.js';
import { conversionIdOf, touchRowIdOf } from '../domain/names.js';
import { changesOf } from '../domain/order-terms.js';
import type { Entry, Order } from '../domain/order.js';
import { type ChainHead, headAfter, type SealedEntry, sealEntry } from '../domain/seal-entries.js';
import { keepAwaited, type OrderName } from './awaited-touches.js';
import { beginChains, holdHeads, moveHeads } from './chain-heads.js';
import { readRules, readTouches, type RuleAt } from './attribution-reads.js';
import { readKeys, readLineIds, readOrders } from './known-reads.js';
import { openingStatement } from './order-locks.js';
import { keepRefused, readRefused } from './refused-commands.js';
import { indexOrders } from './order-index.js';
import { COPY_RECORDS, copyRecords } from './record-rows.js';
import { keepSettings, readSettings } from './site-settings.js';

/** Receives the store's measurements. */
export interface LedgerObserver {
  /** A transaction committed. */
  recorded(seconds: number, items: number, records: number): void;
  /** Another transaction accepted one of its idempotency keys first. */
  lostRace(): void;
}

/** The outcome of an item; an accepted one is sealed. */
export type Recorded =
  Exclude<Outcome, { kind: 'accepted' }> | { readonly kind: 'accepted'; readonly sealed: SealedEntry };

export interface RecordedGroup {
  /** One per item, in order. */
  readonly outcomes: readonly Recorded[];
  /** By record id: the records of this group. */
  readonly sealed: ReadonlyMap<string, SealedEntry>;
}

/** The ledger: decides, seals and stores groups, each in one transaction. */
export class LedgerStore {
  private readonly sites = new Set<string>();
  private readonly erasedSites = new ErasedSites();

  constructor(
    private readonly pool: Pool,
    private readonly observer: LedgerObserver,
  ) {}

  /**
   * Records the valid items of a group in one transaction, in order.
   * @throws Postgres' error, and LostRaceError; the same items may be retried
   */
  async record(items: readonly GroupItem[]): Promise<RecordedGroup> {
    try {
      return await this.recordOnce(items);
    } catch (error) {
      if (!(error instanceof ChainNotBegunError)) throw error;
      // The database was restored to a point before the chain was created.
      this.sites.clear();
      return this.recordOnce(items);
    }
  }

  private async recordOnce(items: readonly GroupItem[]): Promise<RecordedGroup> {
    const orders = items.map(nameOf);
    await this.beginMissingChains(orders);
    return decideUntilWon(
      async () => {
        const startedAt = performance.now();
        const group = await inPipelinedTransaction<{ readonly erasures: string }, RecordedGroup>(
          this.pool,
          openingStatement(orders),
          (client, opening) => {
            const erased = opening.then(([row]) => this.erasedSites.at(client, row?.erasures ?? '0'));
            return recordIn(client, items, orders, erased);
          },
        );
        const seconds = (performance.now() - startedAt) / MS_PER_SECOND;
        this.observer.recorded(seconds, items.length, group.sealed.size);
        return group;
      },
      () => this.observer.lostRace(),
    );
  }

  private async beginMissingChains(orders: readonly OrderName[]): Promise<void> {
    const missing = [...new Set(orders.map(({ siteId }) => siteId))].filter((site) => !this.sites.has(site));
    if (missing.length === 0) return;
    await beginChains(this.pool, missing);
    if (this.sites.size > MAX_KNOWN_SITES) this.sites.clear();
    for (const site of missing) this.sites.add(site);
  }
}

class ChainNotBegunError extends Error {
  constructor(siteId: string) {
    super(`The chain of site ${siteId} was never begun.`);
  }
}

const MS_PER_SECOND = 1_000;
/** Some megabytes; an evicted site costs one statement. */
const MAX_KNOWN_SITES = 50_000;

function nameOf(item: GroupItem): OrderName {
  if (item.kind === 'match') return item;
  return { siteId: item.request.siteId, orderId: item.request.command.orderId };
}

async function recordIn(
  client: ClientBase,
  items: readonly GroupItem[],
  orders: readonly OrderName[],
  erasedSites: Promise<ReadonlySet<string>>,
): Promise<Closing<RecordedGroup>> {
  const [erased, known] = await Promise.all([erasedSites, readKnown(client, items, orders)]);
  const decided = decideGroup(items, { ...known, erased });
  await keepRefused(client, refusedOf(items, decided, known, erased));
  const entries = decided.flatMap((outcome) => (outcome.kind === 'accepted' ? [outcome.entry] : []));
  if (entries.length === 0) return { value: groupOf(decided, []), closing: '' };
  // What does not wait for an answer before it travels together, in this order.
  const [, , , { sealed, heads }] = await Promise.all([
    keepSettings(client, known.newSettings),
    keepAwaited(client, entries),
    indexOrders(client, changesOf(entries, known.orders, known.touches)),
    seal(client, entries),
  ]);
  return {
    value: groupOf(decided, sealed),
    closing: COPY_RECORDS,
    rows: copyRecords(sealed),
    sent: [appendToOutbox(client, rowsOf(sealed)), moveHeads(client, heads)],
  };
}

/** The new ones. Those of an erased site are refused for ever. */
function refusedOf(
  items: readonly GroupItem[],
  decided: readonly Outcome[],
  { refused }: Pick<Known, 'refused'>,
  erased: ReadonlySet<string>,
): ReadonlyMap<string, Failure> {
  return new Map(
    items.flatMap((item, index) => {
      const outcome = decided[index];
      if (item.kind !== 'command' || outcome?.kind !== 'refused') return [];
      const isKept = refused.has(item.correlationId) || erased.has(item.request.siteId);
      return isKept ? [] : [[item.correlationId, outcome.failure] as const];
    }),
  );
}

interface KnownToday extends Omit<Known, 'erased'> {
  /** By site: settings of the requests that the table does not have yet. */
  readonly newSettings: ReadonlyMap<string, AttributionSettings>;
}

async function readKnown(
  client: ClientBase,
  items: readonly GroupItem[],
  orderNames: readonly OrderName[],
): Promise<KnownToday> {
  const requests = items.flatMap((item) => (item.kind === 'command' ? [item.request] : []));
  const withLines = requests.filter(
    ({ command }) => command.eventType === 'adjustment' && command.lines.length > 0,
  );
  const correlationIds = items.flatMap((item) => (item.kind === 'command' ? [item.correlationId] : []));
  const [refused, keys, orders, lineIds, { settings, newSettings }] = await Promise.all([
    readRefused(client, correlationIds),
    readKeys(client, distinct(requests.map(({ siteId, command }) => keyOf(siteId, command.idempotencyKey)))),
    readOrders(client, distinct(orderNames.map(({ siteId, orderId }) => conversionIdOf(siteId, orderId)))),
    readLineIds(
      client,
      distinct(withLines.map(({ siteId, command }) => conversionIdOf(siteId, command.orderId))),
    ),
    settingsOf(client, requests, orderNames),
  ]);
  const named = namedTouches(requests, orders);
  const touchIds = named.flatMap(({ siteId, touchIds }) => touchIds.map((id) => touchRowIdOf(siteId, id)));
  const touches = await readTouches(client, distinct(touchIds));
  const rules = await readRules(client, rulesAskedFor(named, touches));
  return { refused, keys, orders, lineIds, touches, rules, settings, newSettings };
}

/** The touches' own partners, and their providers, when their order was purchased. Each once. */
function rulesAskedFor(
  named: readonly NamedTouches[],
  touches: ReadonlyMap<string, ReadonlyMap<string, KnownTouch>>,
): readonly RuleAt[] {
  const asked = new Map<string, RuleAt>();
  for (const { siteId, touchIds, purchasedAt: at } of named) {
    for (const touchId of touchIds) {
      const touch = touches.get(siteId)?.get(touchId);
      if (touch === undefined) continue;
      const { provider } = touch;
      for (const partnerId of new Set([touch.partnerId, null]))
        asked.set(JSON.stringify([siteId, provider, partnerId, at]), { siteId, provider, partnerId, at });
    }
  }
  return [...asked.values()];
}

/** A gateway that has just answered a change of a site sends the settings with its later requests. */
async function settingsOf(
  client: ClientBase,
  requests: readonly RecordConversion[],
  orderNames: readonly OrderName[],
): Promise<Pick<KnownToday, 'newSettings' | 'settings'>> {
  const settings = await readSettings(client, distinct(orderNames.map(({ siteId }) => siteId)));
  const newSettings = new Map<string, AttributionSettings>();
  for (const { siteId, settings: told } of requests) {
    if (told === null || compareRevisions(told, settings.get(siteId) ?? NO_REVISION) <= 0) continue;
    settings.set(siteId, told);
    newSettings.set(siteId, told);
  }
  return { settings, newSettings };
}

/** Of one order. */
interface NamedTouches {
  readonly siteId: string;
  readonly touchIds: readonly string[];
  readonly purchasedAt: string;
}

/** Touches of these orders, and of new purchases. */
function namedTouches(
  requests: readonly RecordConversion[],
  orders: ReadonlyMap<string, Order>,
): readonly NamedTouches[] {
  const purchases = requests.flatMap(({ siteId, command }) =>
    command.eventType === 'purchase'
      ? [{ siteId, touchIds: command.touchIds, purchasedAt: instantColumn(command.occurredAt) }]
      : [],
  );
  return [...orders.values(), ...purchases];
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** From here to the commit, other transactions of the same sites wait. */
async function seal(
  client: ClientBase,
  entries: readonly Entry[],
): Promise<{ readonly sealed: readonly SealedEntry[]; readonly heads: ReadonlyMap<string, ChainHead> }> {
  const siteIds = [...new Set(entries.map(({ order }) => order.siteId))];
  const held = await holdHeads(client, siteIds);
  const heads = new Map<string, ChainHead>();
  const sealed = entries.map((entry) => {
    const { siteId } = entry.order;
    const at = held.get(siteId);
    if (at === undefined) throw new ChainNotBegunError(siteId);
    const one = sealEntry(entry, heads.get(siteId) ?? at.head, at.recordedAt);
    heads.set(siteId, headAfter(one));
    return one;
  });
  return { sealed, heads };
}

function groupOf(decided: readonly Outcome[], sealed: readonly SealedEntry[]): RecordedGroup {
  const byRecord = new Map(sealed.map((one) => [one.entry.recordId, one]));
  const outcomes = decided.map((outcome): Recorded => {
    if (outcome.kind !== 'accepted') return outcome;
    const one = byRecord.get(outcome.entry.recordId);
    if (one === undefined) throw new Error(`Record ${outcome.entry.recordId} was not sealed.`);
    return { kind: 'accepted', sealed: one };
  });
  return { outcomes, sealed: byRecord };
}
