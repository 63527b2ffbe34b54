import { BinaryRows, copyIn } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { type BasketChange, changeBasket, entryOfText, entryText } from '../domain/basket.js';
import type { EventFact } from '../domain/facts.js';
import { dayOf } from '../domain/quarters.js';
import { type SeenDay, type SeenSession, seenSessions } from '../domain/seen-sessions.js';
import { type NewQuarter, spanChanges } from '../domain/session-spans.js';
import { type KnownQuarter, type KnownSessions, readKnown } from './known-sessions.js';
import { addProducts } from './product-writes.js';
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
  readonly grown: GrownBasket[];
  readonly baskets: ChangedBasket[];
}

interface FreshQuarter extends NewQuarter {
  readonly siteId: string;
  readonly basket: readonly string[] | null;
}

/** Entries for the basket of a quarter that is known. */
interface GrownBasket {
  readonly siteId: string;
  readonly sessionKey: string;
  readonly quarter: number;
  readonly added: readonly string[];
}

/** What the basket of a site's session gains on a UTC day since 1970. */
export interface ChangedBasket {
  readonly siteId: string;
  readonly day: number;
  readonly change: BasketChange;
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
  const { fresh, grown, baskets } = changesOf(sessions, await readKnown(client, sessions));
  await copyQuarters(client, fresh);
  await growBaskets(client, grown);
  if (areCounted) await addSpans(client, fresh);
  await addProducts(client, baskets);
}

function changesOf(sessions: readonly SeenSession[], known: KnownSessions): SessionChanges {
  const changes: SessionChanges = { fresh: [], grown: [], baskets: [] };
  for (const [place, session] of sessions.entries()) {
    for (const [day, seen] of session.days)
      addDay(changes, session, seen, { day, around: known(place, day) });
  }
  return changes;
}

interface KnownDay {
  readonly day: number;
  readonly around: readonly KnownQuarter[];
}

function addDay(
  { fresh, grown, baskets }: SessionChanges,
  { siteId, sessionKey }: SeenSession,
  { quarters, entries, basketQuarter }: SeenDay,
  { day, around }: KnownDay,
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
    if (!around.some((one) => one.quarter === quarter))
      fresh.push({ siteId, sessionKey, quarter, ...neighboursOf(quarter, around), basket: mine });
    else if (mine !== null) grown.push({ siteId, sessionKey, quarter, added: mine });
  }
}

/** The nearest ones before and after. */
function neighboursOf(
  quarter: number,
  around: readonly KnownQuarter[],
): Pick<NewQuarter, 'next' | 'previous'> {
  let previous: number | null = null;
  let next: number | null = null;
  for (const { quarter: one } of around) {
    if (one < quarter && (previous === null || one > previous)) previous = one;
    if (one > quarter && (next === null || one < next)) next = one;
  }
  return { previous, next };
}

const COPY_QUARTERS = `
  copy session_quarters (site_id, session_key, quarter, has_basket, basket) from stdin with (format binary)`;

async function copyQuarters(client: ClientBase, fresh: readonly FreshQuarter[]): Promise<void> {
  if (fresh.length === 0) return;
  const rows = new BinaryRows(5);
  for (const { siteId, sessionKey, quarter, basket } of fresh) {
    rows.row().uuid(siteId).uuid(sessionKey).integer(quarter);
    rows.boolean(basket !== null).textArray(basket);
  }
  await copyIn(client, COPY_QUARTERS, rows.finish());
}

const GROW_BASKETS = `
  update session_quarters known set has_basket = true, basket = coalesce(known.basket, '{}') || told.added
  from json_to_recordset($1::json) as told ("siteId" uuid, "sessionKey" uuid, quarter integer, added text[])
  where known.site_id = told."siteId" and known.session_key = told."sessionKey" and known.quarter = told.quarter`;

async function growBaskets(client: ClientBase, grown: readonly GrownBasket[]): Promise<void> {
  if (grown.length === 0) return;
  await client.query({ name: 'grow-baskets', text: GROW_BASKETS, values: [JSON.stringify(grown)] });
}

async function addSpans(client: ClientBase, fresh: readonly FreshQuarter[]): Promise<void> {
  const changes = [...Map.groupBy(fresh, ({ siteId }) => siteId)].flatMap(([siteId, quarters]) =>
    spanChanges(quarters).map((change) => ({ ...change, siteId })),
  );
  await changeSpans(client, changes);
}
