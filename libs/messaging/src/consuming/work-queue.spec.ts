import { describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import fc from 'fast-check';
import { inspect } from 'node:util';
import { TransientError } from '../errors.js';
import { harness } from '../testing/queue-harness.js';

describe('WorkQueue', () => {
  it('finds each poisonous message among the others by splitting', async () => {
    const cases = fc.integer({ min: 1, max: 40 }).chain((count) =>
      fc.record({
        count: fc.constant(count),
        poison: fc.uniqueArray(fc.nat({ max: count - 1 }), { maxLength: 3 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ count, poison }) => {
        const { queue, settled, givenUp, tracker, push } = harness({
          handle: (items) =>
            items.some((item) => poison.includes(item))
              ? Promise.reject(new RangeError('poison'))
              : Promise.resolve(items.map((item) => item * 2)),
        });
        push(count);
        await eventually(() => queue.isEmpty, { intervalMs: 1 });
        expect(givenUp.toSorted((left, right) => left - right)).toEqual(poison.toSorted((l, r) => l - r));
        const good = Array.from({ length: count }, (_, item) => item).filter(
          (item) => !poison.includes(item),
        );
        expect([...settled.keys()].toSorted((l, r) => l - r)).toEqual(good);
        for (const item of good) expect(settled.get(item)).toBe(item * 2);
        expect(tracker.uncommitted()).toBe(count);
      }),
      { numRuns: 10 },
    );
  });

  it('tries a lone message three times before it is given up', async () => {
    let tries = 0;
    const { queue, givenUp, push } = harness({
      handle: () => {
        tries++;
        return Promise.reject(new RangeError('always'));
      },
    });
    push(1);
    await eventually(() => queue.isEmpty);
    expect(givenUp).toEqual([0]);
    expect(tries).toBe(3);
  });

  it('repeats a batch as it is while its failure is transient, and gives nothing up', async () => {
    const calls: number[] = [];
    const { queue, settled, givenUp, push } = harness({
      handle: (items) => {
        calls.push(items.length);
        return calls.length < 4
          ? Promise.reject(new TransientError('the database restarts'))
          : Promise.resolve(items.map(() => 1));
      },
    });
    push(5);
    await eventually(() => queue.isEmpty);
    expect(calls).toEqual([5, 5, 5, 5]);
    expect(settled.size).toBe(5);
    expect(givenUp).toEqual([]);
  });

  it('takes a wrong number of outcomes for a failure of the handler', async () => {
    const { queue, givenUp, push } = harness({ handle: () => Promise.resolve([]) });
    push(1);
    await eventually(() => queue.isEmpty);
    expect(givenUp).toEqual([0]);
  });

  it('skips expired messages', async () => {
    const seen: number[] = [];
    const { queue, tracker, push } = harness({
      handle: (items) => {
        seen.push(...items);
        return Promise.resolve(items);
      },
      isExpired: (item) => item % 2 === 0,
    });
    push(6);
    await eventually(() => queue.isEmpty);
    expect(seen).toEqual([1, 3, 5]);
    expect(tracker.uncommitted()).toBe(6);
  });

  it('skips a message once that expires between two attempts', async () => {
    const expired = new Set<number>();
    const seen: number[][] = [];
    const { queue, tracker, push } = harness({
      handle: (items) => {
        seen.push([...items]);
        expired.add(seen.length - 1);
        return seen.length < 4 ? Promise.reject(new TransientError('away')) : Promise.resolve(items);
      },
      isExpired: (item) => item !== 5 && expired.has(item),
    });
    push(6);
    await eventually(() => queue.isEmpty);
    expect(seen).toEqual([
      [0, 1, 2, 3, 4, 5],
      [1, 2, 3, 4, 5],
      [2, 3, 4, 5],
      [3, 4, 5],
    ]);
    expect(tracker.uncommitted()).toBe(6);
    push(1);
    expect(queue.isEmpty).toBe(false);
  });

  it('drops nothing twice where a try finds nothing new that expired', async () => {
    let tries = 0;
    const { queue, push } = harness({
      handle: (items) => (++tries < 3 ? Promise.reject(new TransientError('away')) : Promise.resolve(items)),
      isExpired: (item) => item === 0,
    });
    push(2);
    await eventually(() => queue.isEmpty);
    push(1);
    expect(queue.isEmpty).toBe(false);
  });

  it('keeps a few calls in progress, and all waiting messages go into the next call', async () => {
    const open: (() => void)[] = [];
    const sizes: number[] = [];
    const { queue, push } = harness({
      transactions: 2,
      handle: async (items) => {
        sizes.push(items.length);
        await new Promise<void>((resolve) => open.push(resolve));
        return items;
      },
    });
    push(1);
    await eventually(() => sizes.length === 1);
    push(1);
    await eventually(() => sizes.length === 2);
    push(3);
    push(4);
    open.shift()?.();
    await eventually(() => sizes.length === 3);
    expect(sizes).toEqual([1, 1, 7]);
    expect(queue.hasRoom).toBe(true);
    await eventually(() => {
      open.shift()?.();
      return queue.isEmpty;
    });
  });

  it('counts a message as done only when its settling is done', async () => {
    const facts = Promise.withResolvers<undefined>();
    const { queue, tracker, settled, push } = harness({ pending: facts.promise });
    push(2);
    await eventually(() => settled.size === 2);
    expect(tracker.uncommitted()).toBeUndefined();
    expect(queue.isEmpty).toBe(false);
    facts.resolve(undefined);
    await eventually(() => queue.isEmpty);
    expect(tracker.uncommitted()).toBe(2);
  });

  it('retries unknown errors, too, and stores the messages afterwards', async () => {
    let isOver = false;
    const { queue, settled, givenUp, push } = harness({
      handle: (items) => (isOver ? Promise.resolve(items) : Promise.reject(new Error('password refused'))),
      onMetric: (metric) => {
        // Longer than the attempts for a poison message.
        if (metric === 'messaging_call_retries_total' && ++retries > 4) isOver = true;
      },
    });
    let retries = 0;
    push(3);
    await eventually(() => queue.isEmpty);
    expect(givenUp).toEqual([]);
    expect(settled.size).toBe(3);
  });

  it('a work queue does not delay succeeding messages for ever because of failing ones', async () => {
    const { queue, settled, givenUp, push } = harness({
      handle: (items) => (items.includes(2) ? Promise.reject(new Error('odd')) : Promise.resolve(items)),
    });
    push(4);
    await eventually(() => settled.size === 3);
    expect(givenUp).toEqual([]);
    expect(queue.isEmpty).toBe(false);
    queue.abandon();
  });

  it('gives a message that failed with a transient error the full number of attempts of its own', async () => {
    const errors = [new Error('away'), new RangeError('1'), new Error('away'), new RangeError('2')];
    let tries = 0;
    const { queue, givenUp, push } = harness({
      handle: () => Promise.reject(errors[tries++] ?? new RangeError('last')),
    });
    push(1);
    await eventually(() => queue.isEmpty);
    expect(givenUp).toEqual([0]);
    expect(tries).toBe(5);
  });

  it('keeps nothing of a message that is finished behind one in progress', async () => {
    const first = Promise.withResolvers<undefined>();
    const { settled, tracker, push } = harness({
      rows: 1,
      transactions: 2,
      handle: async (items) => {
        if (items.includes(0)) await first.promise;
        return items;
      },
    });
    push(3);
    await eventually(() => settled.size === 2);
    expect(inspect(tracker, { depth: Infinity })).not.toContain('item:');
    first.resolve(undefined);
    await eventually(() => tracker.uncommitted() === 3);
  });

  it('leaves abandoned messages unfinished', async () => {
    const { queue, tracker, push } = harness({
      handle: () => Promise.reject(new TransientError('the database is away')),
    });
    push(3);
    await eventually(() => !queue.isEmpty);
    queue.abandon();
    expect(tracker.uncommitted()).toBeUndefined();
    expect(tracker.isBusy).toBe(true);
  });
});
