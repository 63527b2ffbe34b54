import { describe, expect, it } from '@jest/globals';
import { settleAll } from './settle-all.js';

describe('settleAll', () => {
  it('gives every result in order', async () => {
    await expect(settleAll([Promise.resolve(1), Promise.resolve('two')])).resolves.toEqual([1, 'two']);
  });

  it('throws the first failure after the last promise is settled', async () => {
    let isLastSettled = false;
    const last = new Promise((resolve) => setTimeout(resolve, 20)).then(() => {
      isLastSettled = true;
    });
    await expect(settleAll([Promise.reject(new Error('early')), last])).rejects.toThrow('early');
    expect(isLastSettled).toBe(true);
  });
});
