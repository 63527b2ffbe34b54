import { describe, expect, it } from '@jest/globals';
import { instantColumn } from '@truetally/contracts/attribution';
import fc from 'fast-check';
import { daysBefore, toInstant, toMilliseconds } from './instants.js';

describe('an instant of the database', () => {
  it.each([
    ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30:00.1+00', '2026-01-31T09:30:00.100Z', '2026-01-31T09:30:00.100Z'],
    ['2026-01-31 09:30:00.123456+00', '2026-01-31T09:30:00.123Z', '2026-01-31T09:30:00.123456Z'],
    ['2026-01-31 09:30:00.999999+00', '2026-01-31T09:30:00.999Z', '2026-01-31T09:30:00.999999Z'],
    ['2026-01-31 09:30:00.1205+00', '2026-01-31T09:30:00.120Z', '2026-01-31T09:30:00.1205Z'],
  ])(
    '%s has milliseconds in an answer, cut and not rounded, and its microseconds in a fact',
    (column, ms, whole) => {
      expect(toMilliseconds(column)).toBe(ms);
      expect(toInstant(column)).toBe(whole);
      expect(instantColumn(whole)).toBe(column);
    },
  );

  it('an instant moved back by days is the same time of an earlier day', () => {
    expect(daysBefore('2026-03-01 00:00:00.000001+00', 1)).toBe('2026-02-28 00:00:00.000001+00');
    expect(daysBefore('2024-03-01 23:59:59+00', 1)).toBe('2024-02-29 23:59:59+00');
    expect(daysBefore('2026-01-01 00:00:00+00', 365)).toBe('2025-01-01 00:00:00+00');
  });

  it('an instant moved back by days is earlier by just these days, whatever the instant', () => {
    const instants = fc.date({
      min: new Date('0002-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 365 }), (date, days) => {
        const earlier = daysBefore(instantColumn(date.toISOString()), days);
        expect(Date.parse(toInstant(earlier))).toBe(date.getTime() - days * 86_400_000);
      }),
    );
    expect(daysBefore('0000-01-01 00:00:00+00', 1) < '0000-01-01 00:00:00+00').toBe(true);
  });
});
