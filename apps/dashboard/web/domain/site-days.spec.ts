import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addDays, dayOf, daysBetween, isDay, startOfDay } from './site-days.js';

describe('the days of a site', () => {
  it('an instant belongs to the day of the zone, also at a change of clocks', () => {
    expect(dayOf('2026-03-29T00:30:00Z', 'America/New_York')).toBe('2026-03-28');
    expect(dayOf('2026-10-25T00:59:00Z', 'Europe/Berlin')).toBe('2026-10-25');
    expect(dayOf('2026-10-24T21:59:59Z', 'Europe/Berlin')).toBe('2026-10-24');
    expect(dayOf('2026-01-01T00:00:00Z', 'Pacific/Auckland')).toBe('2026-01-01');
    expect(dayOf('2026-01-01T11:00:00Z', 'Pacific/Auckland')).toBe('2026-01-02');
  });

  it('only a day of the calendar is a day', () => {
    expect(['2026-02-28', '2024-02-29'].every(isDay)).toBe(true);
    expect(['2026-02-29', '2026-13-01', '26-01-01', '2026-01-01T00:00', '', null, 5].some(isDay)).toBe(false);
  });

  it('days added and taken away lead back', () => {
    const days = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(days, fc.integer({ min: -4000, max: 4000 }), (date, count) => {
        const day = date.toISOString().slice(0, 10);
        expect(addDays(addDays(day, count), -count)).toBe(day);
        expect(isDay(addDays(day, count))).toBe(true);
      }),
    );
  });

  it('a day begins at its own midnight, also where clocks skip it', () => {
    expect(startOfDay('2026-03-29', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
    expect(startOfDay('2026-03-30', 'Europe/Berlin')).toBe('2026-03-29T22:00:00.000Z');
    expect(startOfDay('2026-01-02', 'Asia/Kathmandu')).toBe('2026-01-01T18:15:00.000Z');
    expect(startOfDay('2026-01-02', 'Pacific/Auckland')).toBe('2026-01-01T11:00:00.000Z');
    // Clocks in Cairo go forward at midnight.
    expect(startOfDay('2026-04-24', 'Africa/Cairo')).toBe('2026-04-23T22:00:00.000Z');
  });

  it('days between two days are counted over a change of clocks', () => {
    expect(daysBetween('2026-03-28', '2026-03-31')).toBe(3);
    expect(daysBetween('2026-03-28', '2026-03-28')).toBe(0);
  });
});
