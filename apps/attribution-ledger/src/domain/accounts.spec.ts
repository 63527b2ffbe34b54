import { describe, expect, it } from '@jest/globals';
import { balanced, NOTHING } from './accounts.js';

describe('the balancing amount', () => {
  it.each([
    ['commissionable', 700n],
    ['cost', 30n],
    ['margin', -5n],
    ['commission', 9n],
  ] as const)('the balancing amount is the opposite of the observed amount on %s', (account, amount) => {
    expect(balanced({ ...NOTHING, [account]: amount }).memorandum).toBe(-amount);
  });

  it('the balancing amount does not change the paid and passed-on amounts', () => {
    expect(balanced({ ...NOTHING, receivable: 5n, tax: -2n, merchandise: -3n }).memorandum).toBe(0n);
  });
});
