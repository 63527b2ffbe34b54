import { arrayLiteral, BinaryRows, copyIn, uuidArray } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { changeBasket, entryOfText, entryText } from '../domain/basket.js';
import type { EventFact } from '../domain/facts.js';
import { dayOf } from '../domain/quarters.js';
import { type SeenDay, type SeenSession, seenSessions } from '../domain/seen-sessions.js';
import { type NewQuarter, spanChanges } from '../domain/session-spans.js';
import { type KnownQuarter, type KnownSessions, readKnown } from './known-sessions.js';
import { addProducts, type ChangedBasket } from './product-writes.js';
import { changeSpans } from './sum-writes.js';

export interface SessionOptions {
  /** As a UTC day since 1970. */
  readonly today: number;
  /** Whether sessions are counted here, or only their baskets kept. */
  readonly areCounted: boolean;
}

/** What a fold adds to its sessions. */
interface SessionChanges {
  readonly fresh: FreshQuarter[];
  /** Of these the ones that are counted, and known ones that were not until now. */
  readonly counted: (NewQuarter & { readonly siteId: string })[];
  readonly grown: GrownBasket[];
  readonly baskets: ChangedBasket[];
}

interface FreshQuarter {
  readonly siteId: string;
  readonly sessionKey: string;
  readonly quarter: number;
  readonly basket: readonly string[] | null;
}

/** A quarter that is known, and what its basket gains: nothing where it is only counted from now on. */
interface GrownBasket {
  readonly siteId: string;
  readonly sessionKey: string;
  readonly quarter: number;
  readonly added: readonly string[];
}

/**
 * Adds the quarters in which sessions are seen, what they did with products, and what follows from both. The sites are
 * locked: nobody else adds any.
 */
export async function addSessions(
  client: ClientBase,
  events: readonly EventFact[],
  { today, areCounted }: SessionOptions,
): Promise<void> {
  const sessions = seenSessions(events, today);
  if (sessions.length === 0) return;
  const changes = changesOf(sessions, await readKnown(client, sessions), areCounted);
  const { fresh, counted, grown, baskets } = changes;
  await copyQuarters(client, fresh, areCounted);
  await growBaskets(client, grown, areCounted);
  await addSpans(client, counted);
  await addProducts(client, baskets);
}

function changesOf(
  sessions: readonly SeenSession[],
  known: KnownSessions,
  areCounted: boolean,
): SessionChanges {
  const changes: SessionChanges = { fresh: [], counted: [], grown: [], baskets: [] };
  for (const [place, session] of sessions.entries()) {
    for (const [day, seen] of session.days)
      addDay(changes, session, seen, { day, around: known(place, day), areCounted });
  }
  return changes;
}

interface KnownDay {
  readonly day: number;
  readonly around: readonly KnownQuarter[];
  readonly areCounted: boolean;
}

function addDay(
  { fresh, counted, grown, baskets }: SessionChanges,
  { siteId, sessionKey }: SeenSession,
  { quarters, entries, basketQuarter }: SeenDay,
  { day, around, areCounted }: KnownDay,
): void {
  let added: readonly string[] = [];
  if (entries.length > 0) {
    const known = around.filter(({ quarter }) => dayOf(quarter) === day);
    const before = known.flatMap(({ basket }) => (basket ?? []).map(entryOfText));
    const change = changeBasket(day, before, entries);
    added = change.entries.map(entryText);
    if (added.length > 0) baskets.push({ siteId, day, change });
  }
  for (const quarter of quarters) {
    const mine = quarter === basketQuarter && added.length > 0 ? added : null;
    const known = around.find((one) => one.quarter === quarter);
    const isNew = areCounted && known?.isCounted !== true;
    if (isNew) counted.push({ siteId, sessionKey, quarter, ...neighboursOf(quarter, around) });
    if (!isNew && mine === null) continue;
    if (known === undefined) fresh.push({ siteId, sessionKey, quarter, basket: mine });
    else grown.push({ siteId, sessionKey, quarter, added: mine ?? [] });
  }
}

/** The nearest counted ones before and after. */
function neighboursOf(
  quarter: number,
  around: readonly KnownQuarter[],
): Pick<NewQuarter, 'next' | 'previous'> {
  let previous: number | null = null;
  let next: number | null = null;
  for (const { quarter: one, isCounted } of around) {
    if (!isCounted) continue;
    if (one < quarter && (previous === null || one > previous)) previous = one;
    if (one > quarter && (next === null || one < next)) next = one;
  }
  return { previous, next };
}

const COPY_QUARTERS = `
  copy session_quarters (site_id, session_key, quarter, has_basket, is_counted, basket) from stdin with (format binary)`;

async function copyQuarters(
  client: ClientBase,
  fresh: readonly FreshQuarter[],
  areCounted: boolean,
): Promise<void> {
  if (fresh.length === 0) return;
  const rows = new BinaryRows(6);
  for (const { siteId, sessionKey, quarter, basket } of fresh) {
    rows.row().uuid(siteId).uuid(sessionKey).integer(quarter);
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
  grown: readonly GrownBasket[],
  areCounted: boolean,
): Promise<void> {
  if (grown.length === 0) return;
  await client.query({
    name: 'grow-baskets',
    text: GROW_BASKETS,
    values: [
      uuidArray(grown.map(({ siteId }) => siteId)),
      areCounted,
      uuidArray(grown.map(({ sessionKey }) => sessionKey)),
      arrayLiteral(grown.map(({ quarter }) => quarter)),
      arrayLiteral(grown.map(({ added }) => arrayLiteral(added))),
    ],
  });
}

async function addSpans(client: ClientBase, counted: SessionChanges['counted']): Promise<void> {
  const changes = [...Map.groupBy(counted, ({ siteId }) => siteId)].flatMap(([siteId, quarters]) =>
    spanChanges(quarters).map((change) => ({ ...change, siteId })),
  );
  await changeSpans(client, changes);
}
