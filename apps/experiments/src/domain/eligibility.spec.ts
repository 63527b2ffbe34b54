import { describe, expect, it } from '@jest/globals';
import { eligibleTouch } from './eligibility.js';

const FREE = { key: 'touch', owner: null };
const [p1, p2] = [
  { ...FREE, provider: 'awin', partnerId: 'p1' },
  { ...FREE, provider: 'cj', partnerId: 'p2' },
];
const nameless = { ...FREE, provider: 'awin', partnerId: null };

describe('the touch that makes a session eligible (interface page, section 7)', () => {
  it.each([
    ['any where nothing is asked', [], [], [nameless, p1], nameless],
    ['the first of a provider that is asked for', ['cj'], [], [p1, p2], p2],
    ['the first of a partner that is asked for', [], ['p2'], [nameless, p1, p2], p2],
    ['one that is of both, not one of each', ['awin'], ['p2'], [p1, p2], undefined],
    ['of one of several', ['cj', 'awin'], ['p1', 'p9'], [p2, nameless, p1], p1],
    ['none of no partner where one is asked', ['awin'], ['p1'], [nameless], undefined],
    ['none where there is none', [], [], [], undefined],
  ])('the touch that makes a session eligible is %s', (_name, providers, partner_ids, touches, expected) => {
    expect(eligibleTouch({ providers, partner_ids }, touches)).toBe(expected);
  });
});
