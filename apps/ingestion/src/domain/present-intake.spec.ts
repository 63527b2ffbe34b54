import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CountedIntake, type CountedRefusal, presentIntake } from './present-intake.js';

const FROM_MS = Date.parse('2026-03-29T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const START = '2026-03-29T01:00:00.000Z';
const NO_TIMES = { as_of: START, last_event_at: null, last_refused_at: null };

function refusal(given: Partial<CountedRefusal>): CountedRefusal {
  return { start: START, kind: 'item', code: 'VALIDATION_ERROR', field: 'session_id', refused: 1, ...given };
}

function present(counted: Partial<CountedIntake>, hours = 3) {
  const all = { ...NO_TIMES, hours: [], refusals: [], ...counted };
  return presentIntake(all, FROM_MS, FROM_MS + hours * HOUR_MS).hours;
}

describe('the hours of intake', () => {
  it('every hour is there, oldest first, an empty one with zeros and balanced', () => {
    const hours = present({
      hours: [{ start: START, received: 6, stored: 3, deduplicated: 1, failed: 2 }],
      refusals: [refusal({ refused: 2 })],
    });
    expect(hours.map(({ start, received, balanced }) => [start, received, balanced])).toEqual([
      ['2026-03-29T00:00:00.000Z', 0, true],
      [START, 6, true],
      ['2026-03-29T02:00:00.000Z', 0, true],
    ]);
    expect(hours[0]).toMatchObject({ reasons: [], refused_requests: [] });
  });

  it('an hour that does not add up is not called balanced', () => {
    const sums = { start: START, received: 6, stored: 3, deduplicated: 1, failed: 2 };
    expect(present({ hours: [sums], refusals: [refusal({ refused: 1 })] })[1]?.balanced).toBe(false);
    const short = { ...sums, received: 5 };
    expect(present({ hours: [short], refusals: [refusal({ refused: 2 })] })[1]?.balanced).toBe(false);
  });

  it('whole requests stand apart from items, by status', () => {
    const requests = [
      ['429', 4],
      ['413', 1],
    ] as const;
    const refusals = requests.map(([code, refused]) =>
      refusal({ kind: 'request', code, field: '', refused }),
    );
    expect(present({ refusals })[1]).toMatchObject({
      reasons: [],
      refused_requests: [
        { status: 413, count: 1 },
        { status: 429, count: 4 },
      ],
    });
  });

  it('items and whole requests of one hour stand apart', () => {
    const refusals = [
      refusal({ refused: 2 }),
      refusal({ kind: 'request', code: '413', field: '', refused: 5 }),
    ];
    expect(present({ refusals })[1]).toMatchObject({
      reasons: [{ code: 'VALIDATION_ERROR', field: 'session_id', count: 2 }],
      refused_requests: [{ status: 413, count: 5 }],
    });
  });

  it('an hour in which nothing was refused names no reason and no request', () => {
    const hours = [{ start: START, received: 1, stored: 1, deduplicated: 0, failed: 0 }];
    expect(present({ hours })[1]).toMatchObject({ reasons: [], refused_requests: [] });
  });

  it('reasons of one count are in the order of their codes and fields, whoever counted first', () => {
    const refusals = [
      refusal({ field: 'user_id' }),
      refusal({ code: 'FORBIDDEN', field: 'user_id' }),
      refusal({ field: '' }),
      refusal({ field: 'index', refused: 3 }),
    ];
    const reasons = [
      { code: 'VALIDATION_ERROR', field: 'index', count: 3 },
      { code: 'FORBIDDEN', field: 'user_id', count: 1 },
      { code: 'VALIDATION_ERROR', field: null, count: 1 },
      { code: 'VALIDATION_ERROR', field: 'user_id', count: 1 },
    ];
    expect(present({ refusals })[1]?.reasons).toEqual(reasons);
    expect(present({ refusals: refusals.toReversed() })[1]?.reasons).toEqual(reasons);
  });

  it('the least frequent reasons beyond fifty are counted together', () => {
    const refusals = Array.from({ length: 52 }, (_, n) => refusal({ field: `field_${n}`, refused: 100 - n }));
    const reasons = present({ refusals })[1]?.reasons ?? [];
    expect(reasons).toHaveLength(51);
    expect(reasons[50]).toEqual({ code: 'other', field: null, count: 50 + 49 });
    expect(present({ refusals: refusals.slice(0, 50) })[1]?.reasons).toHaveLength(50);
  });

  it('reasons are at most fifty and one for the others, and sum to what failed', () => {
    const counts = fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 90 });
    fc.assert(
      fc.property(counts, (given) => {
        const refusals = given.map((refused, n) => refusal({ field: n === 0 ? '' : `field_${n}`, refused }));
        const failed = given.reduce((sum, one) => sum + one, 0);
        const hours = [{ start: START, received: failed, stored: 0, deduplicated: 0, failed }];
        const hour = present({ hours, refusals })[1];
        const reasons = hour?.reasons ?? [];
        expect(hour?.balanced).toBe(true);
        expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(failed);
        expect(reasons).toHaveLength(given.length > 50 ? 51 : given.length);
        const named = reasons.slice(0, 50).map(({ count }) => count);
        expect(named).toEqual(given.toSorted((a, b) => b - a).slice(0, 50));
        if (given.length > 50) expect(reasons[50]).toMatchObject({ code: 'other', field: null });
      }),
    );
  });
});
