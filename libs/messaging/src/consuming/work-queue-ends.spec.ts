import { describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { UnreadableError } from '../errors.js';
import { harness } from '../testing/queue-harness.js';

describe('WorkQueue, where something ends', () => {
  it('counts poison as done only when the dead letters have it', async () => {
    const letter = Promise.withResolvers<undefined>();
    let isGivenUp = false;
    const { queue, tracker, push } = harness({
      handle: () => Promise.reject(new UnreadableError('junk')),
      giveUp: () => {
        isGivenUp = true;
        return letter.promise;
      },
    });
    push(1);
    await eventually(() => isGivenUp);
    expect(queue.isEmpty).toBe(false);
    expect(tracker.uncommitted()).toBeUndefined();
    letter.resolve(undefined);
    await eventually(() => queue.isEmpty);
    expect(tracker.uncommitted()).toBe(1);
  });

  it('delivers poison again when its dead letter could not be written', async () => {
    const warnings: string[] = [];
    const ignore = (): void => undefined;
    const { queue, tracker, push } = harness({
      handle: () => Promise.reject(new UnreadableError('junk')),
      giveUp: () => Promise.reject(new Error('closed')),
      log: { debug: ignore, info: ignore, error: ignore, warn: (_fields, text) => void warnings.push(text) },
    });
    push(1);
    await eventually(() => warnings.includes('dead letter not written'));
    expect(tracker.uncommitted()).toBeUndefined();
    expect(queue.isEmpty).toBe(false);
  });

  it('starts no call after it was abandoned', async () => {
    const open = Promise.withResolvers<undefined>();
    const calls: number[] = [];
    const { queue, tracker, push } = harness({
      rows: 1,
      handle: async (items) => {
        calls.push(...items);
        await open.promise;
        return items;
      },
    });
    push(3);
    await eventually(() => calls.length === 1);
    queue.abandon();
    open.resolve(undefined);
    await eventually(() => tracker.uncommitted() === 1);
    push(1);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(calls).toEqual([0]);
  });

  it('handles nothing more of a partition that was lost but what has begun, and has room for others', async () => {
    const open = Promise.withResolvers<undefined>();
    const calls: number[] = [];
    const { queue, tracker, push } = harness({
      ...{ rows: 1, unstored: 3 },
      handle: async (items) => {
        calls.push(...items);
        await open.promise;
        return items;
      },
    });
    push(3);
    await eventually(() => calls.length === 1);
    queue.drop(new Set([tracker]));
    expect(queue.hasRoom).toBe(true);
    open.resolve(undefined);
    await eventually(() => queue.isEmpty);
    expect(calls).toEqual([0]);
    expect([tracker.uncommitted(), tracker.lastTaken]).toEqual([1, 0]);
  });

  it.each([
    ['fails for its surroundings', () => new Error('away')],
    ['may be poison', () => new RangeError('odd')],
  ])('retries nothing that %s after it was abandoned', async (_what, error) => {
    let tries = 0;
    const { queue, givenUp, tracker, push } = harness({
      handle: () => {
        tries++;
        queue.abandon();
        return Promise.reject(error());
      },
    });
    push(4);
    await queue.changed();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(tries).toBe(1);
    expect(givenUp).toEqual([]);
    expect(tracker.uncommitted()).toBeUndefined();
  });
});
