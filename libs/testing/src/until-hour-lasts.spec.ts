import { describe, expect, it } from '@jest/globals';
import { untilHourLasts } from './until-hour-lasts.js';

const TURN_MS = Date.UTC(2026, 0, 31, 10);

describe('waiting for an hour that lasts', () => {
  it('ends at once when enough of the hour is left', async () => {
    let asked = 0;
    await untilHourLasts(1_000, () => {
      asked += 1;
      return TURN_MS - 1_000;
    });
    expect(asked).toBe(1);
  });

  it('goes on until the hour has turned', async () => {
    const times = [TURN_MS - 999, TURN_MS - 1, TURN_MS];
    await untilHourLasts(1_000, () => times.shift() ?? TURN_MS);
    expect(times).toEqual([]);
  });
});
