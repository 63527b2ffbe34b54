import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sharersOf } from './attribution-models.js';

const touch = (touchId: string, second: number) => ({
  touchId,
  occurredAt: `2026-01-31 09:30:0${second}+00`,
});

const MODELS = ['linear', 'last_touch', 'first_touch'] as const;

describe('the touches that share (interface page, section 6)', () => {
  it('the linear model shares commission among all touches', () => {
    expect([...sharersOf([touch('b', 1), touch('a', 2)], 'linear')].sort()).toEqual(['a', 'b']);
  });

  it('the last-touch and first-touch models choose the latest and the earliest touch', () => {
    const touches = [touch('b', 2), touch('a', 1), touch('d', 4), touch('c', 3)];
    expect([...sharersOf(touches, 'last_touch')]).toEqual(['d']);
    expect([...sharersOf(touches, 'first_touch')]).toEqual(['a']);
  });

  it('the first and the last of touches at one instant is the one with the smallest id', () => {
    const touches = [touch('c', 1), touch('a', 1), touch('b', 1)];
    expect([...sharersOf(touches, 'last_touch')]).toEqual(['a']);
    expect([...sharersOf(touches, 'first_touch')]).toEqual(['a']);
    expect([...sharersOf([touch('a', 1), touch('b', 2)], 'last_touch')]).toEqual(['b']);
    expect([...sharersOf([touch('b', 1), touch('a', 2)], 'first_touch')]).toEqual(['b']);
  });

  it.each(MODELS)('an order without eligible touches has no sharing touch: %s', (model) => {
    expect([...sharersOf([], model)]).toEqual([]);
  });

  it('the sharing touches do not depend on the order in which an order names its touches', () => {
    const some = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(3)), {
      selector: ([touchId]) => touchId,
      minLength: 1,
    });
    fc.assert(
      fc.property(some, fc.constantFrom(...MODELS), (drawn, model) => {
        const touches = drawn.map(([touchId, second]) => touch(touchId, second));
        const sorted = touches.toSorted((one, other) => (one.touchId < other.touchId ? -1 : 1));
        const sharers = [...sharersOf(touches, model)].sort();
        expect(sharers).toEqual([...sharersOf(sorted, model)].sort());
        expect(sharers).toHaveLength(model === 'linear' ? touches.length : 1);
      }),
    );
  });
});
