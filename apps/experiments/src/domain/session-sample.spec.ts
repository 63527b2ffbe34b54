import { describe, expect, it } from '@jest/globals';
import { concentrationOf } from './session-sample.js';

/** So many sessions of the first network, and one of each of the others. */
const sampleOf = (ofOne: number, others: number) => [
  ...Array.from({ length: ofOne }, () => ({ network: 'one' })),
  ...Array.from({ length: others }, (_, n) => ({ network: `other ${n}` })),
];

describe('the concentration of a sample by network', () => {
  it('a sample of which one network has a fifth is concentrated, and one with less is not', () => {
    expect(concentrationOf(sampleOf(40, 160))).toEqual({
      state: 'concentrated',
      sampled: 200,
      largest_network_share: 0.2,
    });
    expect(concentrationOf(sampleOf(39, 161))).toMatchObject({ state: 'ok', largest_network_share: 0.195 });
  });

  it('a sample of fewer than a hundred sessions is insufficient, and tells its share all the same', () => {
    expect(concentrationOf(sampleOf(99, 0))).toEqual({
      state: 'insufficient',
      sampled: 99,
      largest_network_share: 1,
      reason: 'few_sessions',
    });
  });

  it('sessions without a known network are no part of the sample', () => {
    const unknown = Array.from({ length: 200 }, () => ({ network: null }));
    expect(concentrationOf([...unknown, ...sampleOf(50, 50)])).toMatchObject({
      sampled: 100,
      state: 'concentrated',
    });
    expect(concentrationOf(unknown)).toEqual({
      state: 'insufficient',
      sampled: 0,
      largest_network_share: null,
      reason: 'no_networks_known',
    });
  });
});
