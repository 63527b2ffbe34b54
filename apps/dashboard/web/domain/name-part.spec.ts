import { describe, expect, it } from '@jest/globals';
import { hasPart } from './name-part.js';

describe('hasPart', () => {
  it.each([
    ['Summer sale', 'SALE'],
    ['Käthe Müller', 'kathe mu'],
    ['Ma\u0308rz', 'märz'],
    ['50 % off', '%'],
  ])('A name such as "%s" holds "%s"', (name, part) => {
    expect(hasPart(name, part)).toBe(true);
  });

  it('A name does not hold what is not in it', () => {
    expect(hasPart('Summer sale', 'winter')).toBe(false);
  });
});
