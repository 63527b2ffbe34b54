import type { EventResource } from '@truetally/node';

export const MOST_ROWS = 1_000;

/** What the live stream brings, in the order in which it came. */
export type Arrival =
  | { readonly kind: 'event'; readonly event: EventResource }
  /** Events that are not shown here; `count` is at least how many, where the service has said it. */
  | { readonly kind: 'gap'; readonly id: string; readonly count: number | undefined };

export interface LiveRows {
  /** Newest first. */
  readonly rows: readonly Arrival[];
  /** What came while the reader paused, newest first; undefined while nothing is paused. */
  readonly held: readonly Arrival[] | undefined;
  /** Events that came while the reader paused, also those that are no longer held. */
  readonly heldEvents: number;
}

export const NO_ROWS: LiveRows = { rows: [], held: undefined, heldEvents: 0 };

/** Adds what came: no event twice, and at most so many rows. */
export function addArrivals(live: LiveRows, arrivals: readonly Arrival[]): LiveRows {
  const seen = new Set([...live.rows, ...(live.held ?? [])].map(idOf));
  const fresh = arrivals.filter((arrival) => {
    const isNew = !seen.has(idOf(arrival));
    seen.add(idOf(arrival));
    return isNew;
  });
  const newestFirst = fresh.toReversed();
  if (live.held === undefined) return { ...live, rows: newest([...newestFirst, ...live.rows]) };
  const events = fresh.filter(({ kind }) => kind === 'event').length;
  return {
    ...live,
    held: newest([...newestFirst, ...live.held]),
    heldEvents: live.heldEvents + events,
  };
}

export function pauseRows(live: LiveRows): LiveRows {
  return { ...live, held: live.held ?? [], heldEvents: 0 };
}

/** Shows what came meanwhile. */
export function resumeRows({ rows, held = [] }: LiveRows): LiveRows {
  return { rows: newest([...held, ...rows]), held: undefined, heldEvents: 0 };
}

export function idOf(arrival: Arrival): string {
  return arrival.kind === 'event' ? arrival.event.event_id : arrival.id;
}

function newest(rows: readonly Arrival[]): readonly Arrival[] {
  return rows.slice(0, MOST_ROWS);
}
