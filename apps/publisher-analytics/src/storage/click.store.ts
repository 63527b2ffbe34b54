import { setTimeout as delay } from 'node:timers/promises';
import { arrayLiteral, inTransaction, isUniqueViolation } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { type CountedClick, foldClicks, referenceKey, restandSettlements } from '../domain/fold-facts.js';
import { type ClickFact, ReportChanges } from '../domain/report-changes.js';
import { CLICK_COLUMNS, CLICK_NAMES, type ClickRow, toClickFact, toClickRow } from './click-rows.js';
import { byteaOf, copyRows } from './columns.js';
import { readReferences, type ReferenceName } from './reference-reads.js';
import { addToReports } from './report-writes.js';
import { eachSettlementOf } from './settlement-rows.js';
import { parkClicks, takeParked, type ToldClicks } from './parked-clicks.js';
import type { SiteScope, SiteScopes } from './site-scope.js';

interface ReferenceRow {
  readonly event_id: string;
  readonly site_id: string;
  readonly hash: string;
  readonly key_id: string;
  readonly sealed: string;
  readonly counted_at: string | null;
}

const REFERENCE_NAMES = [
  'event_id',
  'site_id',
  'hash',
  'key_id',
  'sealed',
  'counted_at',
] as const satisfies readonly (keyof ReferenceRow)[];

/**
 * Clicks and their references, each stored once. A click counts when both exist: the fact of its stored
 * event, and the reference from the gateway.
 */
export class ClickStore {
  constructor(
    private readonly pool: Pool,
    private readonly scopes: SiteScopes,
  ) {}

  /**
   * Stores new facts, and adds them to the reports. Facts of a site that another transaction has locked, for an import or a new time
   * zone, are parked, and so are those that come after them: no other facts wait for that site.
   * @returns whether some are parked
   * @throws Postgres' error; the same facts may be retried
   */
  async record(told: ToldClicks): Promise<boolean> {
    const left = await this.recordFree(told);
    if (isNothing(left)) return false;
    await delay(WAIT_MS);
    return !isNothing(await this.recordFree(left, parkClicks));
  }

  /**
   * Stores and counts what was parked first of a site.
   * @throws Postgres' error: that of the lock when the site was not free in time
   */
  countParked(siteId: string): Promise<void> {
    return inTransaction(this.pool, async (client) => {
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const { erased, calendarOf } = await this.scopes.open(client, [siteId]);
      const told = await takeParked(client, siteId);
      if (!erased.has(siteId)) await addClicks(client, told, { calendarOf, isTrusting: false });
    });
  }

  /**
   * Facts of clicks are taken for new: one that is told again, behind a crash, is refused by its key, and only then are all looked
   * for. References always are: each retry of a client tells its own again.
   * @returns the facts of sites that were busy, with which `rest` was done in the same transaction
   */
  private async recordFree(told: ToldClicks, rest: Rest = () => Promise.resolve()): Promise<ToldClicks> {
    try {
      return await this.recordIn(told, rest, true);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return this.recordIn(told, rest, false);
    }
  }

  private recordIn(told: ToldClicks, rest: Rest, isTrusting: boolean): Promise<ToldClicks> {
    return inTransaction(this.pool, async (client) => {
      const siteIds = [...told.clicks, ...told.references].map(({ siteId }) => siteId);
      const { erased, busy, calendarOf } = await this.scopes.openFree(client, siteIds);
      const free = ofSites(told, (siteId) => !erased.has(siteId) && !busy.has(siteId));
      await addClicks(client, free, { calendarOf, isTrusting });
      const left = ofSites(told, (siteId) => busy.has(siteId));
      await rest(client, left);
      return left;
    });
  }
}

type Rest = (client: ClientBase, busy: ToldClicks) => Promise<void>;

/** Before the second look at a busy site: most transactions have ended by then. */
const WAIT_MS = 40;
/** Longer than a step of an import, behind which it waits. */
const LOCK_TIMEOUT_MS = 2_000;

function ofSites({ clicks, references }: ToldClicks, isWanted: (siteId: string) => boolean): ToldClicks {
  return {
    clicks: clicks.filter(({ siteId }) => isWanted(siteId)),
    references: references.filter(({ siteId }) => isWanted(siteId)),
  };
}

function isNothing({ clicks, references }: ToldClicks): boolean {
  return clicks.length + references.length === 0;
}

async function addClicks(
  client: ClientBase,
  told: ToldClicks,
  { calendarOf, isTrusting }: Pick<SiteScope, 'calendarOf'> & { readonly isTrusting: boolean },
): Promise<void> {
  const news = await whatIsNew(client, told, isTrusting);
  const changes = new ReportChanges(calendarOf);
  await foldCounted(client, changes, news.counted);
  await insertNew(client, news);
  await addToReports(client, changes);
}

interface NewClicks extends ToldClicks {
  readonly counted: readonly CountedClick[];
}

async function whatIsNew(
  client: ClientBase,
  { clicks, references }: ToldClicks,
  isTrusting: boolean,
): Promise<NewClicks> {
  const told = new Set(clicks.map(({ eventId }) => eventId));
  const ids = [...new Set([...told, ...references.map(({ eventId }) => eventId)])];
  const [known, hashes] = await Promise.all([
    readClicks(client, isTrusting ? ids.filter((id) => !told.has(id)) : ids),
    readHashes(client, ids),
  ]);
  const newClicks = firstOfEach(clicks, (eventId) => known.has(eventId));
  const newReferences = firstOfEach(references, (eventId) => hashes.has(eventId));
  for (const click of newClicks) known.set(click.eventId, click);
  for (const { eventId, hash } of newReferences) hashes.set(eventId, hash);
  const completed = new Set([...newClicks, ...newReferences].map(({ eventId }) => eventId));
  const counted = [...completed].flatMap((eventId) => {
    const [click, hash] = [known.get(eventId), hashes.get(eventId)];
    // Bots are stored, but left out of reports (interface page, section 4).
    return click === undefined || hash === undefined || click.isBot ? [] : [{ click, hash }];
  });
  return { clicks: newClicks, references: newReferences, counted };
}

async function readClicks(client: ClientBase, ids: readonly string[]): Promise<Map<string, ClickFact>> {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<ClickRow>(
    `select ${CLICK_COLUMNS} from clicks c where event_id = any($1)`,
    [arrayLiteral(ids)],
  );
  return new Map(rows.map((row) => [row.event_id, toClickFact(row)]));
}

async function readHashes(client: ClientBase, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await client.query<{ event_id: string; hash: string }>(
    `select event_id, encode(hash, 'hex') as hash from click_references where event_id = any($1)`,
    [arrayLiteral(ids)],
  );
  return new Map(rows.map(({ event_id, hash }) => [event_id, hash]));
}

/** Read before anything new is in the tables: the former state. */
async function foldCounted(
  client: ClientBase,
  changes: ReportChanges,
  counted: readonly CountedClick[],
): Promise<void> {
  if (counted.length === 0) return;
  const names = new Map<string, ReferenceName>();
  for (const { click, hash } of counted) {
    names.set(referenceKey(hash, click.provider), { hash, provider: click.provider });
  }
  const known = await readReferences(client, [...names.values()]);
  const moved = foldClicks(changes, counted, known);
  const settled = [...names].flatMap(([key, name]) =>
    moved.has(key) && known.get(key)?.isSettled === true ? [name] : [],
  );
  await eachSettlementOf(client, settled, (part) => restandSettlements(changes, part, moved));
}

const COUNT_KNOWN = `
  update click_references r set counted_at = told.at from unnest($1::uuid[], $2::timestamptz[]) as told (event_id, at)
  where r.event_id = told.event_id`;

async function insertNew(client: ClientBase, { clicks, references, counted }: NewClicks): Promise<void> {
  const countedAt = new Map(counted.map(({ click }) => [click.eventId, click.receivedAt]));
  const named = references.map(({ eventId, siteId, hash, keyId, sealed }) => ({
    event_id: eventId,
    site_id: siteId,
    hash: byteaOf(hash),
    key_id: keyId,
    sealed: byteaOf(sealed.toString('hex')),
    counted_at: countedAt.get(eventId) ?? null,
  }));
  await copyRows<ReferenceRow>(client, 'click_references', REFERENCE_NAMES, named);
  await copyRows<ClickRow>(client, 'clicks', CLICK_NAMES, clicks.map(toClickRow));
  for (const { eventId } of references) countedAt.delete(eventId);
  if (countedAt.size > 0) await client.query(COUNT_KNOWN, [[...countedAt.keys()], [...countedAt.values()]]);
}

/** Each event once, in the order of ids: the same in all transactions. */
function firstOfEach<T extends { readonly eventId: string }>(
  told: readonly T[],
  isKept: (eventId: string) => boolean,
): readonly T[] {
  const first = new Map<string, T>();
  for (const one of told) {
    if (!first.has(one.eventId) && !isKept(one.eventId)) first.set(one.eventId, one);
  }
  return [...first.values()].sort((left, right) => (left.eventId < right.eventId ? -1 : 1));
}
