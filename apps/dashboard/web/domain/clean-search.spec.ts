import { describe, expect, it } from '@jest/globals';
import { brokenParameters } from './broken-parameters.js';
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

  it('what an address could not say is named until it is forgotten', () => {
    brokenParameters.forget();
    readChoice('state', ['running'])({ state: 'flying' });
    readChoice('order', ['new'])({ order: 'new' });
    readChoice('absent', ['x'])({});
    expect(brokenParameters.current()).toEqual(['state']);
    brokenParameters.forget();
    expect(brokenParameters.current()).toEqual([]);
  });
});
