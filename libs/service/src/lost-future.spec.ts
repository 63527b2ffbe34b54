import { describe, expect, it } from '@jest/globals';
import { isOfLostFuture, isOfUndoneTime } from './lost-future.js';

const RESTORES = [{ firstIncarnation: 500, restoredToMs: 400 }];
const fact = (timestampMs: number, incarnation?: number) => ({
  timestampMs,
  headers: incarnation === undefined ? {} : { incarnation: String(incarnation) },
});

describe('facts of a future that a restore has undone', () => {
  it('facts of a lost future were published after its point under an earlier incarnation, or under none', () => {
    expect(isOfLostFuture(fact(401, 100), RESTORES)).toBe(true);
    expect(isOfLostFuture(fact(450), RESTORES)).toBe(true);
  });

  it('facts until the point of a restore, or of an incarnation since, are of no lost future, whatever the clocks', () => {
    expect(isOfLostFuture(fact(400, 100), RESTORES)).toBe(false);
    expect(isOfLostFuture(fact(450, 500), RESTORES)).toBe(false);
    expect(isOfLostFuture(fact(600, 501), RESTORES)).toBe(false);
    expect(isOfLostFuture(fact(450, 100), [])).toBe(false);
  });

  it('a fact without an incarnation is undone when it was published between the point of a restore and the first start since', () => {
    expect([400, 401, 499, 500].map((ms) => isOfUndoneTime(fact(ms), RESTORES))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(isOfUndoneTime(fact(450), [])).toBe(false);
  });
});
