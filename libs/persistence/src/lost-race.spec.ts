import { describe, expect, it } from '@jest/globals';
import { decideUntilWon, LostRaceError } from './index.js';

const LOST = Object.assign(new Error('duplicate key'), { code: '23505' });

describe('a decision that a unique index may refuse', () => {
  it('a decision that lost a race is retried until it succeeds', async () => {
    let attempts = 0;
    let lost = 0;
    const attempt = async (): Promise<number> => {
      attempts += 1;
      if (attempts < 3) throw LOST;
      return attempts;
    };
    expect(await decideUntilWon(attempt, () => (lost += 1))).toBe(3);
    expect(lost).toBe(2);
  });

  it('a decision that lost a race is given up after a bounded number of them', async () => {
    let lost = 0;
    await expect(
      decideUntilWon(
        () => Promise.reject(LOST),
        () => (lost += 1),
      ),
    ).rejects.toThrow(LostRaceError);
    expect(lost).toBe(5);
  });

  it('a decision is not repeated for any error but a lost race', async () => {
    const refused = (): Promise<never> => Promise.reject(new Error('syntax error'));
    await expect(decideUntilWon(refused, () => undefined)).rejects.toThrow('syntax error');
  });
});
