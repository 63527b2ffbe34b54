import { describe, expect, it } from '@jest/globals';
import { counted } from './counted.js';

describe('what was counted', () => {
  it('one has no plural, and many have their thousands apart', () => {
    expect([0, 1, 1180].map((count) => counted(count, 'event'))).toEqual([
      '0 events',
      '1 event',
      '1,180 events',
    ]);
  });
});
