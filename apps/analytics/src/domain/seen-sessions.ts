import { BASKET_DAYS, type BasketEntry } from './basket.js';
import type { EventFact } from './facts.js';
import { dayOf, quarterOf } from './quarters.js';

/** A session as the events of one fold tell it. */
export interface SeenSession {
  readonly siteId: string;
  /** A site's alone. */
  readonly sessionKey: string;
  /** By the UTC day since 1970. */
  readonly days: ReadonlyMap<number, SeenDay>;
}

/** What a session did on one day. */
export interface SeenDay {
  readonly quarters: ReadonlySet<number>;
  /** With products, in the order in which it is told. */
  readonly entries: readonly BasketEntry[];
  /** A quarter in which it did something with products. */
  readonly basketQuarter: number | undefined;
}

interface GrowingDay extends SeenDay {
  readonly quarters: Set<number>;
  readonly entries: BasketEntry[];
  basketQuarter: number | undefined;
}

interface GrowingSession extends SeenSession {
  readonly days: Map<number, GrowingDay>;
}

/** @param today as a UTC day since 1970; products of days long before it are not counted */
export function seenSessions(events: readonly EventFact[], today: number): readonly SeenSession[] {
  const sessions = new Map<string, GrowingSession>();
  for (const { siteId, sessionKey, occurredMicros, products } of events) {
    const quarter = quarterOf(occurredMicros);
    const day = dayOf(quarter);
    const session = sessions.get(sessionKey) ?? { siteId, sessionKey, days: new Map<number, GrowingDay>() };
    if (session.days.size === 0) sessions.set(sessionKey, session);
    const seen = session.days.get(day) ?? newDay();
    if (seen.quarters.size === 0) session.days.set(day, seen);
    seen.quarters.add(quarter);
    if (products.length === 0 || day < today - BASKET_DAYS) continue;
    seen.entries.push(...products);
    seen.basketQuarter = quarter;
  }
  return [...sessions.values()];
}

function newDay(): GrowingDay {
  return { quarters: new Set(), entries: [], basketQuarter: undefined };
}
