import { describe, expect, it } from '@jest/globals';
import { HealthReader } from './health-reader.js';

describe('the reader of dependencies', () => {
  it('a check that throws, refuses or hangs is one of a dependency that does not answer', async () => {
    const health = new HealthReader(20);
    health.add('well', () => true);
    health.add('later', () => Promise.resolve(true));
    health.add('throws', () => {
      throw new Error('gone');
    });
    health.add('refuses', () => Promise.reject(new Error('gone')));
    health.add('hangs', () => new Promise(() => undefined));
    expect(await health.read()).toEqual({
      well: true,
      later: true,
      throws: false,
      refuses: false,
      hangs: false,
    });
  });
});
