import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareRevisions, NO_REVISION, type Revision } from './revision.js';

const revision: fc.Arbitrary<Revision> = fc.record({
  incarnation: fc.integer({ min: 0, max: 3 }),
  version: fc.integer({ min: 0, max: 3 }),
});

describe('revisions', () => {
  it('every state of a later incarnation is newer, whatever its version', () => {
    expect(compareRevisions({ incarnation: 2, version: 1 }, { incarnation: 1, version: 9 })).toBeGreaterThan(
      0,
    );
    expect(compareRevisions(NO_REVISION, { incarnation: 0, version: 1 })).toBeLessThan(0);
  });

  it('the order is total', () => {
    fc.assert(
      fc.property(revision, revision, revision, (a, b, c) => {
        expect(Math.sign(compareRevisions(a, b))).toBe(-Math.sign(compareRevisions(b, a)) + 0);
        if (compareRevisions(a, b) <= 0 && compareRevisions(b, c) <= 0)
          expect(compareRevisions(a, c)).toBeLessThanOrEqual(0);
        if (compareRevisions(a, b) === 0) expect(a).toEqual(b);
      }),
    );
  });
});
