import { describe, expect, it } from '@jest/globals';
import { cleanSearch, readChoice } from './clean-search.js';
import { readFunnelSearch } from './funnel-search.js';

describe('a broken part of an address', () => {
  const read = cleanSearch(['steps', 'minutes', 'breakdown'], readFunnelSearch);

  it('a broken part is overwritten, so that what came with the address does not stay', () => {
    const came = { steps: 'nothing', minutes: -1, breakdown: 'day' };
    expect({ ...came, ...read(came) }).toEqual({ steps: undefined, minutes: undefined, breakdown: 'day' });
  });

  it('a choice that is none has no value', () => {
    const choice = readChoice('state', ['draft', 'running']);
    expect([choice({ state: 'running' }), choice({ state: 'x' }), choice({})]).toEqual([
      { state: 'running' },
      { state: undefined },
      { state: undefined },
    ]);
  });
});
