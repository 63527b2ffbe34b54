import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

describe('a queue with turns', () => {
  it('gives each workspace its turn, however many another has waiting', async () => {
    const queue = new FairQueue(1);
    const order: string[] = [];
    const run = (workspaceId: string) => queue.run(workspaceId, async () => void order.push(workspaceId));
    await Promise.all([run('greedy'), run('greedy'), run('greedy'), run('greedy'), run('modest')]);
    expect(order.indexOf('modest')).toBeLessThanOrEqual(2);
  });

  it('a holder that may have one task at a time leaves the rest to others, whose tasks begin at once', async () => {
    const queue = new FairQueue(2, 1);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const run = (holder: string, name: string) =>
      queue.run(holder, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = [run('greedy', 'g1'), run('greedy', 'g2'), run('modest', 'm1'), run('modest', 'm2')];
    expect(begun).toEqual(['g1', 'm1']);
    ends.shift()?.();
    await all[0];
    expect(begun).toEqual(['g1', 'm1', 'g2']);
    while (begun.length < all.length || ends.length > 0) {
      ends.shift()?.();
      await Promise.resolve();
    }
    await Promise.all(all);
    expect(begun.toSorted()).toEqual(['g1', 'g2', 'm1', 'm2']);
  });

  it('a share is of what other holders leave: two with many tasks leave a place to a third, and each has all of its share once they are gone', async () => {
    const queue = new FairQueue(16, 12);
    const ends = new Map<string, (() => void)[]>();
    const begin = (holder: string, count: number): readonly Promise<void>[] => {
      const own: (() => void)[] = [];
      ends.set(holder, own);
      return Array.from({ length: count }, () =>
        queue.run(holder, () => new Promise<void>((resolve) => own.push(resolve))),
      );
    };
    const begun = (): readonly number[] => Array.from(ends.values(), ({ length }) => length);
    const [many, others, few] = [begin('many', 30), begin('others', 30), begin('few', 1)];
    expect(begun()).toEqual([12, 3, 1]);
    const endAll = async (holder: string, tasks: readonly Promise<void>[]): Promise<void> => {
      for (const [at, task] of tasks.entries()) {
        ends.get(holder)?.[at]?.();
        await task;
      }
    };
    await Promise.all([endAll('few', few), endAll('many', many)]);
    expect(begun()).toEqual([30, 12, 1]);
    await endAll('others', others);
    expect(begun()).toEqual([30, 30, 1]);
  });

  it('runs every task once and never more at once than it may, also when some fail', async () => {
    const tasks = fc.array(fc.record({ workspaceId: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() }));
    await fc.assert(
      fc.asyncProperty(tasks, fc.integer({ min: 1, max: 3 }), async (all, atOnce) => {
        const queue = new FairQueue(atOnce);
        let running = 0;
        let most = 0;
        const outcomes = await Promise.allSettled(
          all.map(({ workspaceId, fails }) =>
            queue.run(workspaceId, async () => {
              most = Math.max(most, (running += 1));
              await new Promise((resolve) => setImmediate(resolve));
              running -= 1;
              if (fails) throw new Error('It failed.');
            }),
          ),
        );
        expect(most).toBe(Math.min(atOnce, all.length));
        expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(all.map(({ fails }) => fails));
      }),
      { numRuns: 50 },
    );
  });
});
