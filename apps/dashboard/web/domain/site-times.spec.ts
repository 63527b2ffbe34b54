import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { instantOfLocal, localOf } from './site-times.js';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata', 'UTC'];

describe('times of a site', () => {
  it('what a clock shows leads back to an instant at which it shows that', () => {
    const minute = fc.integer({ min: 0, max: 525_600 }).map((count) => Date.UTC(2026, 0, 1) + count * 60_000);
    fc.assert(
      fc.property(minute, fc.constantFrom(...ZONES), (at, zone) => {
        const local = localOf(new Date(at).toISOString(), zone);
        const back = instantOfLocal(local, zone);
        expect(localOf(back, zone)).toBe(local);
        expect(Date.parse(back)).toBeLessThanOrEqual(at);
        expect(at - Date.parse(back)).toBeLessThanOrEqual(3_600_000);
      }),
    );
  });

  it('a time that clocks skip is behind the change, one that comes twice is the first', () => {
    expect(instantOfLocal('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
    expect(instantOfLocal('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  });

  it('a year that is being typed is a time or goes as it is, and never an error', () => {
    const years = ['0002', '0020', '0202', '2026', '20261', '202610', '9999'];
    expect(years.map((year) => instantOfLocal(`${year}-03-01T10:00`, 'UTC'))).toEqual([
      '0002-03-01T10:00:00.000Z',
      '0020-03-01T10:00:00.000Z',
      '0202-03-01T10:00:00.000Z',
      '2026-03-01T10:00:00.000Z',
      '20261-03-01T10:00',
      '202610-03-01T10:00',
      '9999-03-01T10:00',
    ]);
  });
});
