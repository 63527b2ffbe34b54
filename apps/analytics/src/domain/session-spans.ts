/** A quarter of an hour in which a session is seen for the first time, between those that were known. */
export interface NewQuarter {
  /** A number of it. */
  readonly session: number;
  readonly quarter: number;
  /** The session's last known quarter before this one, and its first after it. */
  readonly previous: number | null;
  readonly next: number | null;
}

/** What changes in the number of sessions that are seen in a quarter, and before it last in another. */
export interface SpanChange {
  readonly quarter: number;
  /** Null: the session begins here. */
  readonly previous: number | null;
  readonly sessions: number;
}

/**
 * The exact number of distinct sessions of any window is the number of those quarters in it whose session was last
 * seen before the window: each session has one such quarter, its first in the window. So a session is stored by its
 * quarters, and its sums by pairs of a quarter and the one before. A quarter that comes late parts one pair into two.
 * @param quarters of one site, each once, none of them known
 */
export function spanChanges(quarters: readonly NewQuarter[]): readonly SpanChange[] {
  // By `previous`, then by quarter.
  const sums = new Map<number | null, Map<number, number>>();
  const add = (quarter: number, previous: number | null, sessions: number): void => {
    const ofPrevious = sums.get(previous) ?? new Map<number, number>();
    if (ofPrevious.size === 0) sums.set(previous, ofPrevious);
    ofPrevious.set(quarter, (ofPrevious.get(quarter) ?? 0) + sessions);
  };
  for (const gap of gapsOf(quarters)) {
    let { previous } = gap;
    for (const quarter of gap.quarters) {
      add(quarter, previous, 1);
      previous = quarter;
    }
    if (gap.next === null) continue;
    add(gap.next, gap.previous, -1);
    add(gap.next, previous, 1);
  }
  return [...sums].flatMap(([previous, ofPrevious]) =>
    [...ofPrevious].flatMap(([quarter, sessions]) =>
      sessions === 0 ? [] : [{ quarter, previous, sessions }],
    ),
  );
}

interface Gap {
  readonly previous: number | null;
  readonly next: number | null;
  readonly quarters: number[];
}

/** The new quarters between two known ones of a session, in order. Most sessions have a single one. */
function gapsOf(quarters: readonly NewQuarter[]): readonly Gap[] {
  const gaps: Gap[] = [];
  const bySession = new Map<number, NewQuarter | NewQuarter[]>();
  for (const one of quarters) {
    const known = bySession.get(one.session);
    if (known === undefined) bySession.set(one.session, one);
    else if (Array.isArray(known)) known.push(one);
    else bySession.set(one.session, [known, one]);
  }
  for (const ofSession of bySession.values()) {
    if (Array.isArray(ofSession)) gaps.push(...gapsOfSession(ofSession));
    else gaps.push({ previous: ofSession.previous, next: ofSession.next, quarters: [ofSession.quarter] });
  }
  return gaps;
}

function gapsOfSession(quarters: readonly NewQuarter[]): Iterable<Gap> {
  const gaps = new Map<number | null, Gap>();
  for (const { quarter, previous, next } of quarters.toSorted((one, other) => one.quarter - other.quarter)) {
    const known = gaps.get(previous);
    if (known === undefined) gaps.set(previous, { previous, next, quarters: [quarter] });
    else known.quarters.push(quarter);
  }
  return gaps.values();
}
