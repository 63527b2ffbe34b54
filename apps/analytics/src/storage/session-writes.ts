import { arrayLiteral, BinaryRows, copyIn, uuidArray } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { type BasketEntry, changeBasket, entryOfText, entryText } from '../domain/basket.js';
import { type EventColumns, keysAt } from '../domain/event-columns.js';
import { dayOf } from '../domain/quarters.js';
import { type SeenDay, type SeenSession, seenSessions } from '../domain/seen-sessions.js';
import { type NewQuarter, spanChanges } from '../domain/session-spans.js';
import { inPieces, type Pieces } from '../in-pieces.js';
import { type KnownQuarter, type KnownSessions, readKnown } from './known-sessions.js';
import { addOrPark, type WorkspaceOf } from './parked-baskets.store.js';
import type { ChangedBasket } from './product-writes.js';
import { changeSpans } from './sum-writes.js';

export interface SessionOptions extends Pick<Pieces, 'isHurried'> {
  /** As a UTC day since 1970. */
  readonly today: number;
  /** Whether sessions are counted here, or only their baskets kept. */
  readonly areCounted: boolean;
  readonly workspaceOf: WorkspaceOf;
}

/** What a fold adds to its sessions, each of which is named by the place of its first event. */
interface SessionChanges {
  readonly fresh: FreshQuarter[];
  /** Of these the ones that are counted, and known ones that were not until now. */
  readonly counted: NewQuarter[];
  readonly grown: GrownBasket[];
  readonly baskets: ChangedBasket[];
  /** Baskets that begin with one entry, by its site, day and text: many sessions of a fold have the same. */
  readonly begun: Map<string, BegunBasket>;
}

interface FreshQuarter {
  readonly session: number;
  readonly quarter: number;
  readonly basket: readonly string[] | null;
}

/** A quarter that is known, and what its basket gains: nothing where it is only counted from now on. */
interface GrownBasket {
  readonly session: number;
  readonly quarter: number;
  readonly added: readonly string[];
}

interface BegunBasket extends ChangedBasket {
  readonly added: readonly string[];
  sessions: number;
}

/**
 * Adds the quarters in which sessions are seen, what they did with products, and what follows from both. The sites are
 * locked: nobody else adds any.
 * @param places of the events that tell of them
 */
export async function addSessions(
  client: ClientBase,
  events: EventColumns,
  places: readonly number[],
  { today, areCounted, isHurried, workspaceOf }: SessionOptions,
): Promise<void> {
  const sessions = seenSessions(events, places, today);
  if (sessions.length === 0) return;
  const known = await readKnown(client, events, sessions);
  const { fresh, counted, grown, baskets } = changesOf(events, sessions, known, areCounted);
  await inPieces(fresh, { size: QUARTERS_A_PIECE, isHurried }, (piece) =>
    copyQuarters(client, events, piece, areCounted),
  );
  await growBaskets(client, events, grown, areCounted);
  await addSpans(client, events, counted);
  await addOrPark(client, baskets, workspaceOf);
}

function changesOf(
  events: EventColumns,
  sessions: readonly SeenSession[],
  known: KnownSessions,
  areCounted: boolean,
): SessionChanges {
  const changes: SessionChanges = { fresh: [], counted: [], grown: [], baskets: [], begun: new Map() };
  for (const [index, { place, days }] of sessions.entries()) {
    for (const seen of days)
      addDay(changes, seen, {
        session: place,
        siteId: events.sites.at(place),
        around: known(index, seen.day),
        areCounted,
      });
  }
  return changes;
}

interface KnownDay {
  readonly session: number;
  readonly siteId: string;
  readonly around: readonly KnownQuarter[];
  readonly areCounted: boolean;
}

function addDay(
  changes: SessionChanges,
  seen: SeenDay,
  { session, siteId, around, areCounted }: KnownDay,
): void {
  const { fresh, counted, grown } = changes;
  const { day, quarters, entries, basketQuarter } = seen;
  let added: readonly string[] = [];
  if (entries.length > 0) {
    added = addBasket(changes, { siteId, day, before: entriesOf(day, around), entries });
  }
  for (const quarter of quarters) {
    const mine = quarter === basketQuarter && added.length > 0 ? added : null;
    const known = around.find((one) => one.quarter === quarter);
    const isNew = areCounted && known?.isCounted !== true;
    if (isNew) counted.push(newQuarter(session, quarter, around));
    if (!isNew && mine === null) continue;
    if (known === undefined) fresh.push({ session, quarter, basket: mine });
    else grown.push({ session, quarter, added: mine ?? [] });
  }
}

interface ToldBasket {
  readonly siteId: string;
  readonly day: number;
  readonly before: readonly BasketEntry[];
  readonly entries: readonly BasketEntry[];
}

/** @returns the texts of what a basket gains */
function addBasket(
  { baskets, begun }: SessionChanges,
  { siteId, day, before, entries }: ToldBasket,
): readonly string[] {
  const [first] = entries;
  const isBegun = first !== undefined && entries.length === 1 && before.length === 0;
  const key = isBegun ? `${siteId} ${day} ${entryText(first)}` : '';
  const known = isBegun ? begun.get(key) : undefined;
  if (known !== undefined) {
    known.sessions += 1;
    return known.added;
  }
  const change = changeBasket(day, before, entries);
  const added = change.entries.map(entryText);
  const basket = { siteId, day, before, change, sessions: 1, added };
  if (added.length > 0) baskets.push(basket);
  if (isBegun) begun.set(key, basket);
  return added;
}

const NO_ENTRIES: readonly BasketEntry[] = [];

/** What is known of the basket of a day. */
function entriesOf(day: number, around: readonly KnownQuarter[]): readonly BasketEntry[] {
  if (around.length === 0) return NO_ENTRIES;
  const known = around.filter(({ quarter }) => dayOf(quarter) === day);
  return known.flatMap(({ basket }) => (basket ?? []).map(entryOfText));
}

/** With the nearest counted ones before and after. */
function newQuarter(session: number, quarter: number, around: readonly KnownQuarter[]): NewQuarter {
  let previous: number | null = null;
  let next: number | null = null;
  for (const { quarter: one, isCounted } of around) {
    if (!isCounted) continue;
    if (one < quarter && (previous === null || one > previous)) previous = one;
    if (one > quarter && (next === null || one < next)) next = one;
  }
  return { session, quarter, previous, next };
}

/** They take Postgres two milliseconds. */
const QUARTERS_A_PIECE = 250;

const COPY_QUARTERS = `
  copy session_quarters (site_id, session_key, quarter, has_basket, is_counted, basket) from stdin with (format binary)`;

async function copyQuarters(
  client: ClientBase,
  events: EventColumns,
  fresh: readonly FreshQuarter[],
  areCounted: boolean,
): Promise<void> {
  const rows = new BinaryRows(6);
  for (const { session, quarter, basket } of fresh) {
    rows.row().uuid(events.sites.at(session)).uuidAt(events.sessionKeys, session).integer(quarter);
    rows
      .boolean(basket !== null)
      .boolean(areCounted)
      .textArray(basket);
  }
  await copyIn(client, COPY_QUARTERS, rows.finish());
}

const GROW_BASKETS = `
  update session_quarters known set has_basket = known.has_basket or told.added <> '{}',
    is_counted = known.is_counted or $2,
    basket = case when told.added <> '{}' then coalesce(known.basket, '{}') || told.added else known.basket end
  from (select site_id, session_key, quarter, added::text[]
    from unnest($1::uuid[], $3::uuid[], $4::integer[], $5::text[]) as lists (site_id, session_key, quarter, added)) told
  where known.site_id = told.site_id and known.session_key = told.session_key and known.quarter = told.quarter`;

async function growBaskets(
  client: ClientBase,
  events: EventColumns,
  grown: readonly GrownBasket[],
  areCounted: boolean,
): Promise<void> {
  if (grown.length === 0) return;
  const sessions = grown.map(({ session }) => session);
  await client.query({
    name: 'grow-baskets',
    text: GROW_BASKETS,
    values: [
      uuidArray(sessions.map((session) => events.sites.at(session))),
      areCounted,
      uuidArray(keysAt(events.sessionKeys, sessions)),
      arrayLiteral(grown.map(({ quarter }) => quarter)),
      arrayLiteral(grown.map(({ added }) => arrayLiteral(added))),
    ],
  });
}

async function addSpans(
  client: ClientBase,
  { sites }: EventColumns,
  counted: readonly NewQuarter[],
): Promise<void> {
  const changes = [...Map.groupBy(counted, ({ session }) => sites.at(session))].flatMap(
    ([siteId, quarters]) => spanChanges(quarters).map((change) => ({ ...change, siteId })),
  );
  await changeSpans(client, changes);
}
