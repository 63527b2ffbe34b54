import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { plainBytes } from './bounded-body.js';
import { FEED_LIMITS } from './feed-limits.js';

const MEBIBYTE = 1_024 * 1_024;

async function* sent(bytes: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let from = 0; from < bytes.length; from += 16_384) yield bytes.subarray(from, from + 16_384);
}

/** @returns how many bytes were read, and why no more */
async function read(bytes: Buffer): Promise<{ readonly size: number; readonly fault: unknown }> {
  let size = 0;
  try {
    for await (const chunk of plainBytes(sent(bytes), FEED_LIMITS)) size += chunk.length;
    return { size, fault: undefined };
  } catch (fault) {
    return { size, fault };
  }
}

describe('plainBytes', () => {
  it('a bomb is given up long before the limit of a feed, also when it is packed twice', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * MEBIBYTE));
    for (const packed of [bomb, gzipSync(bomb)]) {
      const { size, fault } = await read(packed);
      expect(fault).toMatchObject({ message: 'The feed is packed more than 250 times.' });
      expect(size).toBeLessThan(65 * MEBIBYTE);
    }
  });

  it('a small feed is read however tightly it is packed', async () => {
    expect(await read(gzipSync(Buffer.alloc(8 * MEBIBYTE)))).toEqual({
      size: 8 * MEBIBYTE,
      fault: undefined,
    });
  });
});
