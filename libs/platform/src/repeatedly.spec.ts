import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { repeatedly } from './repeatedly.js';

const warned: string[] = [];
const options = {
  everyMs: 1_000,
  log: { warn: (...said: unknown[]) => void warned.push(String(said[1])) },
  failure: 'It failed; it is tried again.',
};

beforeEach(() => {
  jest.useFakeTimers();
  warned.length = 0;
});
afterEach(() => void jest.useRealTimers());

it('repeated work begins at each interval, and when it is woken, but never while it is under way: then behind it', async () => {
  let begun = 0;
  let end: () => void = () => undefined;
  const repetition = repeatedly(options, () => {
    begun += 1;
    return new Promise((resolve) => (end = resolve));
  });
  expect(begun).toBe(0);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(begun).toBe(1);
  end();
  await jest.advanceTimersByTimeAsync(0);
  repetition.wake();
  await jest.advanceTimersByTimeAsync(0);
  expect(begun).toBe(2);
  end();
  repetition.wake();
  await jest.advanceTimersByTimeAsync(0);
  expect(begun).toBe(3);
  repetition.wake();
  const closed = repetition.close();
  end();
  await closed;
  expect(begun).toBe(3);
});

it('repeated work that fails, at once or later, is logged and done again', async () => {
  let runs = 0;
  const repetition = repeatedly(options, () => {
    runs += 1;
    if (runs === 1) throw new Error('at once');
    return runs === 2 ? Promise.reject(new Error('later')) : Promise.resolve();
  });
  await jest.advanceTimersByTimeAsync(3_000);
  expect([runs, warned]).toEqual([3, [options.failure, options.failure]]);
  await repetition.close();
});

it('closing repeated work tells the run under way, waits for its end, and begins no other', async () => {
  const seen: string[] = [];
  const repetition = repeatedly(options, async (stopping) => {
    seen.push('begun');
    await new Promise((resolve) => stopping.addEventListener('abort', resolve));
    seen.push('ended');
  });
  repetition.wake();
  await repetition.close();
  seen.push('closed');
  repetition.wake();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(seen).toEqual(['begun', 'ended', 'closed']);
});
