import { describe, expect, it } from '@jest/globals';
import { costOf, workspacesToPark } from './parked-share.js';

function parked(costs: Readonly<Record<string, number>>, waiting: readonly string[] = []): readonly string[] {
  return [...workspacesToPark(new Map(Object.entries(costs)), new Set(waiting), 1_000)].sort();
}

describe('the workspaces whose facts wait in line', () => {
  it.each([
    [{ one: 1_000 }, []],
    [{ one: 1_001 }, ['one']],
    [{ heavy: 200_000, light: 1, other: 999 }, ['heavy']],
    [{ first: 600, second: 600, light: 1 }, ['second']],
    [{}, []],
  ])('the most costly of %j beyond a cost of 1,000 are %j', (costs, expected) => {
    expect(parked(costs)).toEqual(expected);
  });

  it('a workspace that waits already goes on waiting, and takes nothing of the call from others', () => {
    expect(parked({ waiting: 900, other: 900 }, ['waiting'])).toEqual(['waiting']);
  });
});

describe('what a fact costs', () => {
  it.each([
    [500, 1, 0, 2],
    [500, 200, 0, 201],
    [4_096, 2, 3, 8],
    [65_536, 200, 20, 64_200],
  ])(
    'a fact of %i characters costs with %i workflows of %i conditions each %i',
    (length, count, of, cost) => {
      const workflow = { record: { conditions: Array.from({ length: of }) } } as never;
      expect(
        costOf(
          length,
          Array.from({ length: count }, () => workflow),
        ),
      ).toBe(cost);
    },
  );
});
