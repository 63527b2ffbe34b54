import { BASKET_DAYS, type BasketEntry } from './basket.js';
import { type EventColumns, keyTextAt } from './event-columns.js';
import { dayOf, quarterOf } from './quarters.js';

/** A session as the events of one fold tell it. */
export interface SeenSession {
  /** Of its first event: its key is a site's alone. */
  readonly place: number;
  /** Each day once. */
  readonly days: readonly SeenDay[];
}

/** What a session did on one day. */
export interface SeenDay {
  /** A UTC day since 1970. */
  readonly day: number;
  /** Each once. */
  readonly quarters: readonly number[];
  /** With products, in the order in which it is told. */
  readonly entries: readonly BasketEntry[];
  /** A quarter in which it did something with products. */
  readonly basketQuarter: number | undefined;
}

interface GrowingDay extends SeenDay {
  readonly quarters: number[];
  entries: BasketEntry[];
  basketQuarter: number | undefined;
}

interface GrowingSession extends SeenSession {
  readonly days: GrowingDay[];
}

/**
 * Most sessions of a fold have one event: lists that begin with it take a fraction of the memory of maps, or of lists that grow.
 * @param today as a UTC day since 1970; products of days long before it are not counted
 */
export function seenSessions(
  events: EventColumns,
  places: readonly number[],
  today: number,
): readonly SeenSession[] {
  const sessions = new Map<string, GrowingSession>();
  for (const place of places) {
    const quarter = quarterOf(events.occurredMicros[place] ?? 0);
    const day = dayOf(quarter);
    const seen = dayOfSession(sessions, keyTextAt(events.sessionKeys, place), { place, day, quarter });
    if (!seen.quarters.includes(quarter)) seen.quarters.push(quarter);
    const products = events.products[place] ?? [];
    if (products.length === 0 || day < today - BASKET_DAYS) continue;
    if (seen.entries.length === 0) seen.entries = products.slice();
    else seen.entries.push(...products);
    seen.basketQuarter = quarter;
  }
  return [...sessions.values()];
}

interface SeenEvent {
  readonly place: number;
  readonly day: number;
  readonly quarter: number;
}

function dayOfSession(
  sessions: Map<string, GrowingSession>,
  key: string,
  { place, day, quarter }: SeenEvent,
): GrowingDay {
  const session = sessions.get(key);
  const known = session?.days.find((one) => one.day === day);
  if (known !== undefined) return known;
  const seen: GrowingDay = { day, quarters: [quarter], entries: [], basketQuarter: undefined };
  if (session === undefined) sessions.set(key, { place, days: [seen] });
  else session.days.push(seen);
  return seen;
}
