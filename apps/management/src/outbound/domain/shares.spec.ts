import { describe, expect, it } from '@jest/globals';
import { Shares } from './shares.js';

const MOST = { count: 1_024, length: 64_000 };

/** Each takes one after the other until nobody may take more. */
function fill(shares: Shares, owners: readonly string[], length: number): void {
  const taking = () => owners.filter((owner) => shares.roomOf(owner) > 0);
  for (let left = taking(); left.length > 0; left = taking())
    for (const owner of left) if (shares.roomOf(owner) > 0) shares.take(owner, length);
}

describe('the shares of places', () => {
  it('half of the places is left by one owner who wants all, and a fourth by three, for whoever comes', () => {
    for (const [owners, left] of [
      [['a'], 512],
      [['a', 'b', 'c'], 256],
    ] as const) {
      const shares = new Shares(MOST, 1);
      fill(shares, owners, 1);
      expect([shares.full(), shares.room]).toEqual([owners, left]);
      expect(shares.roomOf('new')).toBe(left / 2);
    }
  });

  it('large bodies count by their length', () => {
    const shares = new Shares(MOST, 1_000);
    fill(shares, ['a'], 1_000);
    expect([shares.full(), shares.room, shares.roomOf('new')]).toEqual([['a'], 32, 16]);
    shares.giveBack('a', 1_000);
    expect([shares.full(), shares.room]).toEqual([[], 33]);
  });

  it('an owner without anything may take one wherever there is room, and what is given back is forgotten', () => {
    const shares = new Shares({ count: 2, length: 10 }, 1);
    fill(shares, ['a'], 1);
    expect([shares.room, shares.roomOf('new')]).toEqual([1, 1]);
    shares.giveBack('a', 1);
    expect([shares.room, shares.full()]).toEqual([2, []]);
    const admits = shares.admission();
    expect(['a', 'a', 'b'].map(admits)).toEqual([true, false, true]);
  });
});
