import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { harness } from '../testing/queue-harness.js';

const MAX_MESSAGES = 24;
const message = fc.nat({ max: MAX_MESSAGES - 1 });

const cases = fc.record({
  /** Messages that arrive together; the first at once, the others during the calls. */
  fetches: fc.array(fc.integer({ min: 1, max: MAX_MESSAGES / 3 }), { minLength: 1, maxLength: 3 }),
  /** Weight of a call. */
  rows: fc.integer({ min: 1, max: MAX_MESSAGES }),
  /** Calls that fail, whatever they contain: an outage. */
  outages: fc.uniqueArray(fc.nat({ max: 40 }), { maxLength: 25 }),
  /** How often calls with a message fail with an error that looks like an outage. */
  stubborn: fc.dictionary(message.map(String), fc.integer({ min: 1, max: 14 }), { maxKeys: 3 }),
  poison: fc.uniqueArray(message, { maxLength: 4 }),
});

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('an ordered work queue', () => {
  it('handles messages in the order of the log, whichever calls fail and however they are split', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ fetches, rows, outages, stubborn, poison }) => {
        const [failing, left] = [new Set(outages), new Map(Object.entries(stubborn))];
        const ended: number[] = [];
        const coming = [...fetches];
        let calls = 0;
        const { queue, givenUp, tracker, push } = harness({
          isOrdered: true,
          rows,
          handle: (items) => {
            push(coming.shift() ?? 0);
            if (failing.has(calls++)) return Promise.reject(new Error('away'));
            const hindrance = items.find((item) => (left.get(String(item)) ?? 0) > 0);
            if (hindrance !== undefined) {
              left.set(String(hindrance), (left.get(String(hindrance)) ?? 0) - 1);
              return Promise.reject(new Error('odd'));
            }
            if (items.some((item) => poison.includes(item))) return Promise.reject(new RangeError('poison'));
            ended.push(...items);
            return Promise.resolve(items);
          },
          giveUp: ({ item }) => {
            givenUp.push(item);
            ended.push(item);
            return Promise.resolve();
          },
        });
        push(coming.shift() ?? 0);
        while (!queue.isEmpty) await jest.advanceTimersToNextTimerAsync();
        const count = fetches.reduce((sum, each) => sum + each, 0);
        const all = Array.from({ length: tracker.uncommitted() ?? 0 }, (_, item) => item);
        expect(all.length).toBeGreaterThan(0);
        expect(all.length).toBeLessThanOrEqual(count);
        expect(ended).toEqual(all);
        expect(givenUp).toEqual(all.filter((item) => poison.includes(item)));
      }),
      { numRuns: 300 },
    );
  });

  it('waits with later messages for as long as the first one fails, and handles those before it', async () => {
    const handled: number[] = [];
    let isAway = true;
    const { queue, givenUp, push } = harness({
      isOrdered: true,
      handle: (items) => {
        if (isAway && items.includes(2)) return Promise.reject(new Error('odd'));
        handled.push(...items);
        return Promise.resolve(items);
      },
    });
    push(5);
    for (let timers = 0; timers < 100; timers++) await jest.advanceTimersToNextTimerAsync();
    expect(handled).toEqual([0, 1]);
    isAway = false;
    while (!queue.isEmpty) await jest.advanceTimersToNextTimerAsync();
    expect([handled, givenUp]).toEqual([[0, 1, 2, 3, 4], []]);
  });
});
