import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PATIENCE_MS } from '../limits.js';
import { harness } from '../testing/queue-harness.js';

const ROWS = 10;

interface Call {
  readonly items: readonly number[];
  finish(): void;
}

describe('WorkQueue, while a handler call runs', () => {
  let calls: Call[];
  let push: (count: number) => Promise<void>;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    calls = [];
    const found = harness({
      rows: ROWS,
      transactions: 2,
      handle: (items) =>
        new Promise((resolve) => {
          calls.push({ items, finish: () => resolve(items) });
        }),
    });
    push = async (count) => {
      found.push(count);
      await setImmediate();
    };
    await push(1);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const sizes = (): readonly number[] => calls.map(({ items }) => items.length);

  it('lets messages wait for its end, and handles them together', async () => {
    await push(3);
    await push(2);
    expect(sizes()).toEqual([1]);
    calls[0]?.finish();
    await setImmediate();
    expect(sizes()).toEqual([1, 5]);
  });

  it('starts another one at once when that is full', async () => {
    await push(ROWS - 1);
    expect(sizes()).toEqual([1]);
    await push(1);
    expect(sizes()).toEqual([1, ROWS]);
  });

  it('starts another one when it hangs, but no more than are allowed', async () => {
    await push(3);
    await jest.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect(sizes()).toEqual([1]);
    await jest.advanceTimersByTimeAsync(1);
    expect(sizes()).toEqual([1, 3]);
    await push(2 * ROWS);
    await jest.advanceTimersByTimeAsync(PATIENCE_MS);
    expect(sizes()).toEqual([1, 3]);
  });
});
