import { describe, expect, it } from '@jest/globals';
import { Calendar } from '@truetally/kernel';
import fc from 'fast-check';
import { pointsOf } from './intervals.js';
import { formatMicros, keptSince, partsOf, presentKept, readReportWindow } from './report-window.js';

const NOW_MS = Date.parse('2026-03-30T12:00:00.000Z');
const berlin = new Calendar('Europe/Berlin');

function read(from: string | null, to: string | null, interval: 'day' | 'hour' = 'day', calendar = berlin) {
  return readReportWindow({ from, to }, interval, calendar, NOW_MS);
}

describe('the window of a report', () => {
  it.each([
    ['2026-03-29', '2026-03-30', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['2026-03-29T10:00:00.0005+02:00', '2026-03-30', '2026-03-29T08:00:00.0005Z', '2026-03-29T22:00:00.000Z'],
    [null, null, '2026-02-28T23:00:00.000Z', '2026-03-30T22:00:00.000Z'],
  ])('a window from %s to %s is from %s to %s', (from, to, begins, ends) => {
    const window = read(from, to);
    expect(
      window.ok ? [formatMicros(window.value.from), formatMicros(window.value.to)] : window.error,
    ).toEqual([begins, ends]);
  });

  it('a report of forgotten events says since when they are kept, and one of their sums only where it cuts a quarter of an hour', () => {
    const since = keptSince(400, NOW_MS);
    const says = { events_kept_since: '2025-02-24T12:00:00.000Z' };
    const kept = (from: string, areSummed: boolean, byEvents: boolean) => {
      const window = read(from, '2026-03-29');
      if (!window.ok) throw new Error('It is a window.');
      return presentKept(window.value, { since, areSummed }, byEvents);
    };
    expect(kept('2025-02-24', true, true)).toEqual(says);
    expect(kept('2025-02-24', false, false)).toEqual(says);
    expect(kept('2025-02-24', true, false)).toEqual({});
    expect(kept('2025-02-24T00:07:00Z', true, false)).toEqual(says);
    expect(kept('2025-02-25', true, true)).toEqual({});
    expect(kept('2025-02-25T00:07:00Z', false, false)).toEqual({});
  });

  it.each([
    ['2026-03-29', null, 'day', 'to'],
    [null, '2026-03-29', 'day', 'from'],
    ['2026-03-29', '2026-03-29', 'day', 'to'],
    ['2026-03-30', '2026-03-29', 'day', 'to'],
    ['2026-02-30', '2026-03-29', 'day', 'from'],
    ['yesterday', '2026-03-29', 'day', 'from'],
    ['2016-03-21', '2026-03-30', 'day', 'to'],
    ['2025-10-01', '2026-03-30', 'hour', 'to'],
    ['9999-12-31', '9999-12-31T23:59:59.999999Z', 'day', 'to'],
  ] as const)('a window from %s to %s by %s is refused, naming %s', (from, to, interval, field) => {
    const window = read(from, to, interval);
    expect(window.ok ? [] : Object.keys(window.error)).toEqual([field]);
  });

  it('the first and the last window of all have intervals that can be written, in every zone', () => {
    for (const zone of ['Pacific/Kiritimati', 'UTC', 'America/New_York']) {
      const calendar = new Calendar(zone);
      for (const [from, to] of [
        ['0001-01-01', '0001-01-03'],
        ['9998-12-29', '9998-12-31'],
      ] as const) {
        const window = read(from, to, 'day', calendar);
        if (!window.ok) throw new Error(JSON.stringify(window.error));
        const written = pointsOf(window.value, 'day', calendar).map(({ start }) => formatMicros(start));
        expect([zone, ...written.filter((start) => !/^(0001|9998)-/.test(start))]).toEqual([zone]);
      }
    }
  });

  it('a window may have 3,660 days', () => {
    expect(read('2016-03-22', '2026-03-30').ok).toBe(true);
  });

  it('a window may have 3,660 hours of the site, which need not be those of UTC', () => {
    const kathmandu = new Calendar('Asia/Kathmandu');
    const hoursFrom = (minutes: number) => {
      const from = Date.parse('2025-06-01T00:00:00.000Z') + minutes * 60_000;
      const [begins, ends] = [from, from + 3_660 * 3_600_000].map((at) => new Date(at).toISOString());
      return read(begins ?? null, ends ?? null, 'hour', kathmandu);
    };
    const [whole, cut] = [hoursFrom(15), hoursFrom(0)];
    expect(whole.ok && pointsOf(whole.value, 'hour', kathmandu).length).toBe(3_660);
    expect(cut.ok).toBe(false);
  });

  it('a window is its quarters and what it cuts of two others', () => {
    const micros = fc.integer({ min: -(10 ** 15), max: 10 ** 15 });
    fc.assert(
      fc.property(micros, fc.integer({ min: 1, max: 10 ** 10 }), (from, length) => {
        const { first, end, edges } = partsOf({ from, to: from + length });
        const whole = (end - first) * 900_000_000;
        const cut = edges.reduce((sum, edge) => sum + edge.to - edge.from, 0);
        expect(whole + cut).toBe(length);
        expect(edges.every((edge) => edge.to > edge.from && edge.to - edge.from < 900_000_000 * 2)).toBe(
          true,
        );
      }),
    );
  });
});

describe('the intervals of a series', () => {
  it.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-30', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-26', 25],
    ['America/New_York', '2026-11-01', '2026-11-02', 25],
    ['Asia/Kolkata', '2026-03-29', '2026-03-30', 24],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-06', 24],
  ])('the hours of a day in %s, %s to %s, are %d', (zone, from, to, hours) => {
    const calendar = new Calendar(zone);
    const window = read(from, to, 'hour', calendar);
    if (!window.ok) throw new Error(JSON.stringify(window.error));
    expect(pointsOf(window.value, 'hour', calendar).length).toBe(hours);
  });

  it('the intervals of a window are adjacent, cover it, and begin where they begin also outside of it', () => {
    const calendars = ['UTC', 'Europe/Berlin', 'Pacific/Chatham', 'Australia/Lord_Howe'].map(
      (zone) => new Calendar(zone),
    );
    const from = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) });
    const interval = fc.constantFrom('hour' as const, 'day' as const);
    fc.assert(
      fc.property(
        from,
        fc.nat(5 * 86_400_000),
        interval,
        fc.constantFrom(...calendars),
        (ms, length, by, calendar) => {
          const window = { from: ms * 1_000, to: (ms + length + 1) * 1_000 };
          const points = pointsOf(window, by, calendar);
          expect([points[0]?.from, points.at(-1)?.to]).toEqual([window.from, window.to]);
          points.slice(1).forEach((point, index) => {
            expect(point.from).toBe(points[index]?.to);
            expect(point.start).toBe(point.from);
          });
          expect(points[0]?.start).toBeLessThanOrEqual(window.from);
        },
      ),
    );
  });
});
