import { describe, expect, it } from '@jest/globals';
import { Calendar } from '@truetally/kernel';
import fc from 'fast-check';
import { intakeWindow, readIntakeQuery } from './intake-window.js';

const BERLIN = new Calendar('Europe/Berlin');
const NOW_MS = Date.parse('2026-03-29T12:34:56.789Z');
const HOUR_MS = 3_600_000;

function hoursOf(from: string | undefined, to: string | undefined, calendar = BERLIN): object {
  const window = intakeWindow({ from, to }, calendar, NOW_MS);
  if (!window.ok) return window.error;
  const { fromMs, toMs } = window.value;
  return { from: new Date(fromMs).toISOString(), hours: (toMs - fromMs) / HOUR_MS };
}

describe('the window of intake (interface page, section 9)', () => {
  it('the window is the last 24 hours when none is asked for, with the current one', () => {
    expect(hoursOf(undefined, undefined)).toEqual({ from: '2026-03-28T13:00:00.000Z', hours: 24 });
  });

  it('the window of a date is the day of the site, 23 hours when clocks go forward', () => {
    expect(hoursOf('2026-03-29', '2026-03-30')).toEqual({ from: '2026-03-28T23:00:00.000Z', hours: 23 });
  });

  it('the window has every hour that it touches', () => {
    expect(hoursOf('2026-03-29T10:59:59Z', '2026-03-29T12:00:00.001Z')).toEqual({
      from: '2026-03-29T10:00:00.000Z',
      hours: 3,
    });
    const kolkata = new Calendar('Asia/Kolkata');
    expect(hoursOf('2026-03-29', '2026-03-30', kolkata)).toEqual({
      from: '2026-03-28T18:00:00.000Z',
      hours: 25,
    });
  });

  it('the window is at most 31 days long, also in the month in which clocks go back', () => {
    expect(hoursOf('2026-10-01', '2026-11-01')).toMatchObject({ hours: 745 });
    // Days of these zones begin in the middle of an hour.
    expect(hoursOf('2027-03-15', '2027-04-15', new Calendar('Australia/Adelaide'))).toMatchObject({
      hours: 746,
    });
    expect(hoursOf('2026-10-15', '2026-11-15', new Calendar('America/St_Johns'))).toMatchObject({
      hours: 746,
    });
    expect(hoursOf('2026-03-01', '2026-04-02')).toEqual({ to: ['must be at most 31 days after from'] });
    expect(hoursOf('2026-03-02', '2026-03-02')).toEqual({ to: ['must be later than from'] });
    expect(hoursOf('2026-03-03', '2026-03-02')).toEqual({ to: ['must be later than from'] });
    expect(hoursOf('9999-12-30', '9999-12-31T23:59:59Z')).toEqual({ to: ['must not be after 9999-01-01'] });
  });

  it('the window of the first day begins with the first hour that can be written', () => {
    const kiritimati = new Calendar('Pacific/Kiritimati');
    expect(hoursOf('0001-01-01', '0001-01-02', kiritimati)).toMatchObject({
      from: '0001-01-01T00:00:00.000Z',
    });
  });

  it('the window is whole hours that hold both moments, whatever they are', () => {
    const minute = fc.integer({ min: 0, max: 44_000 });
    fc.assert(
      fc.property(minute, minute, (begin, length) => {
        const from = new Date(NOW_MS + begin * 60_000).toISOString();
        const to = new Date(NOW_MS + (begin + length + 1) * 60_000).toISOString();
        const window = intakeWindow({ from, to }, BERLIN, NOW_MS);
        if (!window.ok) return expect(length).toBeGreaterThan(31 * 24 * 60 - 60);
        const { fromMs, toMs } = window.value;
        expect([fromMs % HOUR_MS, toMs % HOUR_MS]).toEqual([0, 0]);
        expect(Date.parse(from) - fromMs).toBeLessThan(HOUR_MS);
        expect(toMs - Date.parse(to)).toBeLessThan(HOUR_MS);
        expect(fromMs <= Date.parse(from) && Date.parse(to) <= toMs).toBe(true);
      }),
    );
  });

  it.each([
    ['from=2026-03-29', 'to'],
    ['to=2026-03-29', 'from'],
    ['from=2026-02-31&to=2026-03-29', 'from'],
    ['from=2026-03-01&to=soon', 'to'],
    ['from=2026-03-01&from=2026-03-01&to=2026-03-02', 'from'],
    ['from=&to=2026-03-02', 'from'],
  ])('the query %s is refused by the name of its field', (query, field) => {
    const read = readIntakeQuery(new URLSearchParams(query));
    expect(read.ok ? [] : Object.keys(read.error)).toEqual([field]);
  });
});
