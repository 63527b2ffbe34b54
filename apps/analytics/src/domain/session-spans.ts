/** A quarter of an hour in which a session is seen for the first time, between those that were known. */
export interface NewQuarter {
  readonly sessionKey: string;
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
  const changes = new Map<string, SpanChange>();
  const add = (quarter: number, previous: number | null, sessions: number): void => {
    const key = `${quarter} ${previous ?? ''}`;
    const known = changes.get(key)?.sessions ?? 0;
    changes.set(key, { quarter, previous, sessions: known + sessions });
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
  return [...changes.values()].filter(({ sessions }) => sessions !== 0);
}

interface Gap {
  readonly previous: number | null;
  readonly next: number | null;
  readonly quarters: readonly number[];
}

/** The new quarters between two known ones of a session, in order. */
function gapsOf(quarters: readonly NewQuarter[]): readonly Gap[] {
  const gaps = new Map<string, { previous: number | null; next: number | null; quarters: number[] }>();
  const inOrder = quarters.toSorted((one, other) => one.quarter - other.quarter);
  for (const { sessionKey, quarter, previous, next } of inOrder) {
    const key = `${sessionKey} ${previous ?? ''}`;
    const known = gaps.get(key);
    if (known === undefined) gaps.set(key, { previous, next, quarters: [quarter] });
    else known.quarters.push(quarter);
  }
  return [...gaps.values()];
}
