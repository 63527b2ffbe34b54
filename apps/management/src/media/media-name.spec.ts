import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nameWithin } from './media-name.js';

const hashes = fc.stringMatching(/^[0-9a-f]{64}$/);

describe("the name of a picture's file", () => {
  it('the file name of a picture is the same for the same one of a workspace, and another for any other', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), hashes, hashes, (one, other, first, second) => {
        const name = nameWithin(one, first);
        expect(name).toMatch(/^[0-9a-f]{64}$/);
        expect(nameWithin(one, first)).toBe(name);
        expect(nameWithin(other, first) === name).toBe(one === other);
        expect(nameWithin(one, second) === name).toBe(first === second);
        expect(name).not.toBe(first);
      }),
    );
  });
});
