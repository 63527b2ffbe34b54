import { describe, expect, it } from '@jest/globals';
import { readPeriod } from './period.js';

const NOW = Date.parse('2026-03-01T00:00:00Z');

describe('the period of what is published again', () => {
  it('ends now unless its end is given', () => {
    expect(readPeriod({ from: '2026-02-01' }, NOW)).toEqual({
      from: '2026-02-01T00:00:00.000Z',
      to: '2026-03-01T00:00:00.000Z',
    });
    expect(readPeriod({ from: '2026-02-01T00:00:00+01:00', to: '2026-02-02' }, NOW)).toEqual({
      from: '2026-01-31T23:00:00.000Z',
      to: '2026-02-02T00:00:00.000Z',
    });
  });

  it.each([
    {},
    { from: 'yesterday' },
    { from: '2026-02-01', to: 'x' },
    { from: '2026-02-02', to: '2026-02-01' },
  ])('needs a beginning before its end: %p', (given) => {
    expect(readPeriod(given, NOW)).toBeUndefined();
  });
});
