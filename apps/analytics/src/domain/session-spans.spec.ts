import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NewQuarter, spanChanges } from './session-spans.js';

/** Sums by quarter and the one before it, as the table holds them. */
class Spans {
  private readonly known = new Map<number, Set<number>>();
  private readonly sums = new Map<string, { quarter: number; previous: number | null; sessions: number }>();

  take(batch: readonly (readonly [session: number, quarter: number])[]): void {
    const fresh: NewQuarter[] = [];
    const seen = new Set<string>();
    for (const [session, quarter] of batch) {
      const quarters = [...(this.known.get(session) ?? [])];
      if (quarters.includes(quarter) || seen.has(`${session} ${quarter}`)) continue;
      seen.add(`${session} ${quarter}`);
      const earlier = quarters.filter((one) => one < quarter);
      const later = quarters.filter((one) => one > quarter);
      fresh.push({
        session,
        quarter,
        previous: earlier.length === 0 ? null : Math.max(...earlier),
        next: later.length === 0 ? null : Math.min(...later),
      });
    }
    for (const { session, quarter } of fresh) {
      this.known.set(session, (this.known.get(session) ?? new Set()).add(quarter));
    }
    for (const { quarter, previous, sessions } of spanChanges(fresh)) {
      const key = `${quarter} ${previous}`;
      const sum = (this.sums.get(key)?.sessions ?? 0) + sessions;
      this.sums.set(key, { quarter, previous, sessions: sum });
    }
  }

  count(first: number, end: number): number {
    return [...this.sums.values()]
      .filter(({ quarter, previous }) => quarter >= first && quarter < end && (previous ?? -1) < first)
      .reduce((sum, { sessions }) => sum + sessions, 0);
  }
}

describe('the spans of sessions', () => {
  it('spans count the distinct sessions of every window, in whatever order and batches facts come', () => {
    const seen = fc.tuple(fc.nat(3), fc.nat(12));
    const batches = fc.array(fc.array(seen, { maxLength: 8 }), { maxLength: 8 });
    fc.assert(
      fc.property(batches, fc.nat(12), fc.nat(13), (told, first, length) => {
        const spans = new Spans();
        for (const batch of told) spans.take(batch);
        const inside = told.flat().filter(([, quarter]) => quarter >= first && quarter < first + length);
        expect(spans.count(first, first + length)).toBe(new Set(inside.map(([session]) => session)).size);
      }),
      { numRuns: 500 },
    );
  });
});
