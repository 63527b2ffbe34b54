import { describe, expect, it } from '@jest/globals';
import type { ReportInterval } from '@truetally/contracts/publisher';
import { Calendar, dayAfter } from '@truetally/kernel';
import fc from 'fast-check';
import { beginningsIn, piecesOf, readReportWindow } from './report-window.js';

const BERLIN = new Calendar('Europe/Berlin');
/** Already the 21st in Berlin. */
const NOW_MS = Date.UTC(2026, 2, 20, 23, 30);
const FORM = expect.stringContaining('must be a date');

const read = (from: string | null, to: string | null, interval: ReportInterval = 'month') =>
  readReportWindow({ from, to, interval }, BERLIN, NOW_MS);

describe('the window of a report', () => {
  it.each([
    [null, null, '2026-02-20', '2026-03-22'],
    ['2026-03-01', '2026-03-02', '2026-03-01', '2026-03-02'],
    ['2026-02-28T23:00:00Z', '2026-03-31T22:00:00.000Z', '2026-03-01', '2026-04-01'],
  ])('a report window from %s to %s is from %s to %s', (from, to, first, last) => {
    expect(read(from, to)).toEqual({ ok: true, value: { from: first, to: last } });
  });

  it.each([
    ['2026-3-1', null, { from: [FORM] }],
    [null, '2026-02-30', { to: [FORM] }],
    ['x', 'y', { from: [FORM], to: [FORM] }],
    ['2026-03-01', null, { to: ['is required together with from'] }],
    [null, '2026-03-01', { from: ['is required together with to'] }],
    ['2026-03-01T00:00:00Z', null, { from: [FORM] }],
    ['2026-02-28T23:00:00.0001Z', null, { from: [FORM] }],
    ['2026-03-01', '2026-03-01', { to: ['must be later than from'] }],
    ['2026-03-02', '2026-03-01', { to: ['must be later than from'] }],
    ['9998-12-20', '9999-01-02', { to: ['must not be after 9999-01-01'] }],
    ['9999-12-20', '9999-12-31', { to: ['must not be after 9999-01-01'] }],
  ])('a report window from %s to %s is refused', (from, to, error) => {
    expect(read(from, to)).toEqual({ ok: false, error });
  });

  it.each([
    ['day', '2016-01-01', '2026-01-08', true],
    ['day', '2016-01-01', '2026-01-09', false],
    ['week', '1960-01-01', '2030-02-22', true],
    ['week', '1960-01-01', '2030-02-23', false],
  ] as const)('a window by %s from %s to %s has at most 3,660 points: %s', (interval, from, to, isRead) => {
    const window = read(from, to, interval);
    expect(window.ok).toBe(isRead);
    const error = { interval: [expect.stringContaining('3660')] };
    if (!window.ok) expect(window.error).toEqual(error);
  });
});

describe('the points of a window', () => {
  it.each(['day', 'week', 'month'] as const)('the last window of all ends by %s', (interval) => {
    const read = readReportWindow({ from: '9998-12-20', to: '9999-01-01', interval }, BERLIN, NOW_MS);
    if (!read.ok) throw new Error('It is a window.');
    expect(beginningsIn(read.value, interval).length).toBeLessThanOrEqual(12);
    expect(piecesOf(read.value, 'year').at(-1)?.to).toBe('9999-01-01');
  });

  const window = { from: '2026-03-05', to: '2026-03-17' };

  it.each([
    ['week', ['2026-03-02', '2026-03-09', '2026-03-16']],
    ['month', ['2026-03-01']],
  ] as const)(
    'the points of a window by %s begin before it where it begins within one',
    (interval, beginnings) => {
      expect(beginningsIn(window, interval)).toEqual(beginnings);
    },
  );

  it('the points of a window by day are its days', () => {
    const days = beginningsIn(window, 'day');
    expect([days.length, days[0], days.at(-1)]).toEqual([12, '2026-03-05', '2026-03-16']);
  });
});

describe('the stored sums of a window', () => {
  const window = { from: '2024-11-29', to: '2027-02-03' };
  const days = [
    { level: 'day', from: '2024-11-29', to: '2024-12-01' },
    { level: 'day', from: '2027-02-01', to: '2027-02-03' },
  ] as const;

  it('the stored sums of a window are the fewest', () => {
    expect(piecesOf(window, 'year')).toEqual([
      days[0],
      { level: 'month', from: '2024-12-01', to: '2025-01-01' },
      { level: 'year', from: '2025-01-01', to: '2027-01-01' },
      { level: 'month', from: '2027-01-01', to: '2027-02-01' },
      days[1],
    ]);
  });

  it('the stored sums of a window are no longer than the coarsest that is wanted', () => {
    const months = { level: 'month', from: '2024-12-01', to: '2027-02-01' };
    expect(piecesOf(window, 'month')).toEqual([days[0], months, days[1]]);
    expect(piecesOf(window, 'day')).toEqual([{ level: 'day', ...window }]);
  });
});

describe('the bounds of a report', () => {
  const days = fc
    .integer({ min: Date.UTC(1980, 0), max: Date.UTC(2040, 0) })
    .map((ms) => new Date(ms).toISOString().slice(0, 10));
  const read = (from: string | null, to: string | null, interval: 'day' | 'month' = 'day') =>
    readReportWindow({ from, to, interval }, BERLIN, Date.UTC(2026, 2, 30, 12));

  it('the window of a report is at most five runs of adjacent sums, and has no day twice', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 1, max: 4_000 }), (from, length) => {
        const to = dayAfter(from, length);
        const pieces = piecesOf({ from, to }, 'year');
        expect(pieces.length).toBeLessThanOrEqual(5);
        expect([pieces[0]?.from, pieces.at(-1)?.to]).toEqual([from, to]);
        pieces.slice(1).forEach((piece, index) => expect(piece.from).toBe(pieces[index]?.to));
      }),
    );
  });

  it('the window of a report is dates, moments at which a day begins, or the last 30 days', () => {
    const march = { ok: true, value: { from: '2026-03-01', to: '2026-04-01' } };
    expect(read('2026-03-01', '2026-04-01')).toEqual(march);
    expect(read('2026-02-28T23:00:00.000Z', '2026-04-01T00:00:00+02:00')).toEqual(march);
    expect(read(null, null)).toEqual({ ok: true, value: { from: '2026-03-01', to: '2026-03-31' } });
  });

  it.each([
    ['2026-03-01T00:00:00Z', '2026-04-01', 'from'],
    ['2026-03-01', '2026-02-30', 'to'],
    ['2026-03-01', '2026-03-01', 'to'],
    ['2000-01-01', '2026-01-01', 'interval'],
  ])('the window of a report is refused from %s to %s by its field', (from, to, field) => {
    const window = read(from, to);
    expect(window.ok ? [] : Object.keys(window.error)).toEqual([field]);
  });
});
