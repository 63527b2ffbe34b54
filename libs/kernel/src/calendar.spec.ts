import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { beginningOf, Calendar, dayAfter, nextBeginning, readDay } from './calendar.js';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
];
const moments = fc.integer({ min: Date.UTC(1980, 0), max: Date.UTC(2040, 0) });

describe('the calendar of a site', () => {
  it('the calendar of a site has every moment in one day, which begins by then and is over behind it', () => {
    const calendars = ZONES.map((zone) => new Calendar(zone));
    fc.assert(
      fc.property(moments, fc.constantFrom(...calendars), (ms, calendar) => {
        const day = calendar.dayOf(ms);
        expect(calendar.startOf(day)).toBeLessThanOrEqual(ms);
        expect(calendar.startOf(dayAfter(day, 1))).toBeGreaterThan(ms);
      }),
    );
  });

  it.each([
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', 25],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', 23],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', 25],
    // Midnight is skipped: the day begins at one.
    ['America/Asuncion', '2023-10-01', '2023-10-01T04:00:00.000Z', 23],
  ])('a day in %s, %s begins at %s and has %d hours', (zone, day, start, hours) => {
    const calendar = new Calendar(zone);
    expect(new Date(calendar.startOf(day)).toISOString()).toBe(start);
    expect((calendar.startOf(dayAfter(day, 1)) - calendar.startOf(day)) / 3_600_000).toBe(hours);
  });

  it('the first and the last moment that can be written are in the first and the last day, in every zone', () => {
    for (const zone of [...ZONES, 'Pacific/Kiritimati']) {
      const calendar = new Calendar(zone);
      const days = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map((at) =>
        calendar.dayOf(Date.parse(at)),
      );
      expect(days).toEqual(['0001-01-01', '9999-12-31']);
    }
  });

  it('the first day begins when times can be written, in every zone', () => {
    const starts = [...ZONES, 'Pacific/Kiritimati'].map((zone) => new Calendar(zone).startOf('0001-01-01'));
    expect(Math.min(...starts)).toBe(Date.parse('0001-01-01T00:00:00Z'));
  });

  it.each([
    ['2026-11-01', 'week', '2026-10-26', '2026-11-02'],
    ['2026-11-02', 'week', '2026-11-02', '2026-11-09'],
    ['2026-02-28', 'month', '2026-02-01', '2026-03-01'],
    ['2026-12-31', 'month', '2026-12-01', '2027-01-01'],
    ['2024-02-29', 'year', '2024-01-01', '2025-01-01'],
  ] as const)('%s is in the %s from %s to %s', (day, interval, beginning, next) => {
    expect(beginningOf(day, interval)).toBe(beginning);
    expect(nextBeginning(beginning, interval)).toBe(next);
  });

  it.each(['2026-02-30', '2026-13-01', '0000-01-01', '2026-1-1', 'today', ''])('knows no day %j', (text) => {
    expect(readDay(text)).toBeUndefined();
  });
});
