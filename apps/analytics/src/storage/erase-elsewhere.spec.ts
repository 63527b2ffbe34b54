import { expect, it } from '@jest/globals';
import { oneAtATime } from './erase-elsewhere.js';

it('a second erasure in another store is tried again as long as the first is under way, also behind one that failed', async () => {
  const alone = oneAtATime();
  await expect(alone(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = alone(() => promise);
  await expect(alone(() => Promise.resolve('second'))).rejects.toThrow('Another erasure is under way');
  resolve('first');
  await expect(first).resolves.toBe('first');
  await expect(alone(() => Promise.resolve('second'))).resolves.toBe('second');
});
