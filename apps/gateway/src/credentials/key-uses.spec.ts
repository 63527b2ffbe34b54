import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { MAX_KEY_USES, type RecordKeyUse } from '@truetally/contracts/management';
import { KeyUses } from './key-uses.js';

const INTERVAL_MS = 30_000;

/** Kafka, which takes a message when the test says so. */
function open() {
  jest.useFakeTimers();
  const told: RecordKeyUse[] = [];
  const waiting: (() => void)[] = [];
  const uses = new KeyUses({
    intervalMs: INTERVAL_MS,
    tell: (message) => {
      told.push(message);
      return new Promise((resolve) => waiting.push(resolve));
    },
    onError: (error) => {
      throw error;
    },
  });
  const take = async (): Promise<void> => {
    waiting.shift()?.();
    await jest.advanceTimersByTimeAsync(0);
  };
  return { uses, told, take };
}

afterEach(() => {
  jest.useRealTimers();
});

describe('when keys were used', () => {
  it('the newest use of each key is told once in an interval', async () => {
    const { uses, told, take } = open();
    for (const atMs of [1, 2, 3]) uses.note('a', atMs);
    uses.note('b', 4);
    await jest.advanceTimersByTimeAsync(INTERVAL_MS);
    await take();
    uses.note('b', 5);
    await jest.advanceTimersByTimeAsync(2 * INTERVAL_MS);
    const first = [
      { key_id: 'a', at_ms: 3 },
      { key_id: 'b', at_ms: 4 },
    ];
    expect(told).toEqual([{ uses: first }, { uses: [{ key_id: 'b', at_ms: 5 }] }]);
    uses.close();
  });

  it('one message waits while Kafka is away, however long and of how many keys, and then the newest uses follow', async () => {
    const { uses, told, take } = open();
    const keys = Array.from({ length: MAX_KEY_USES + 1 }, (_, key) => String(key));
    for (let n = 1; n <= 20; n += 1) {
      for (const key of keys) uses.note(key, n);
      await jest.advanceTimersByTimeAsync(INTERVAL_MS);
    }
    expect(told.map((message) => message.uses.length)).toEqual([MAX_KEY_USES]);
    await take();
    for (let n = 0; n < 2; n += 1) {
      await jest.advanceTimersByTimeAsync(INTERVAL_MS);
      await take();
    }
    const later = told.slice(1).flatMap((message) => message.uses);
    expect(told.every((message) => message.uses.length <= MAX_KEY_USES)).toBe(true);
    expect(later.map(({ at_ms }) => at_ms)).toEqual(keys.map(() => 20));
    uses.close();
  });
});
