import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { lookOut } from './look-out.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const SECOND_MS = 1_000;
const TEN_SECONDS_MS = 10_000;

/** How often it looks in each ten seconds. */
function looksIn(tens: number, looks: () => number): readonly number[] {
  return Array.from({ length: tens }, () => {
    const before = looks();
    jest.advanceTimersByTime(TEN_SECONDS_MS);
    return looks() - before;
  });
}

it('looks are rarer behind ten seconds in which nothing was found, until something is', () => {
  let count = 0;
  const looking = lookOut(SECOND_MS, () => void count++);
  const [first = 0, ...quiet] = looksIn(4, () => count);
  expect(first).toBeGreaterThanOrEqual(9);
  expect(quiet.every((looks) => looks === 3 || looks === 4)).toBe(true);
  looking.found();
  jest.advanceTimersByTime(SECOND_MS + 1);
  expect(looksIn(1, () => count)[0]).toBeGreaterThanOrEqual(9);
  looking.end();
  expect(looksIn(2, () => count)).toEqual([0, 0]);
});

it('looks of an interval of a minute stay as rare', () => {
  let count = 0;
  const looking = lookOut(60 * SECOND_MS, () => void count++);
  jest.advanceTimersByTime(5 * 60 * SECOND_MS + 10);
  looking.end();
  expect(count).toBe(5);
});
