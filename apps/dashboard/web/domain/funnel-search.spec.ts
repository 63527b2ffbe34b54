import { describe, expect, it } from '@jest/globals';
import { readFunnelSearch, stepsOf } from './funnel-search.js';

describe('a funnel in the address', () => {
  it('two to eight known types are steps', () => {
    expect(stepsOf('page_view,purchase')).toEqual(['page_view', 'purchase']);
    expect(stepsOf('page_view')).toBeUndefined();
    expect(stepsOf('page_view,nothing')).toBeUndefined();
    expect(stepsOf(Array.from({ length: 9 }, () => 'search').join(','))).toBeUndefined();
    expect(stepsOf(7)).toBeUndefined();
  });

  it('a broken part falls away and leaves the others', () => {
    expect(readFunnelSearch({ steps: 'x', minutes: 60, breakdown: 'day' })).toEqual({
      minutes: 60,
      breakdown: 'day',
    });
    expect(readFunnelSearch({ steps: 'search,purchase', minutes: 0, breakdown: 'colour' })).toEqual({
      steps: 'search,purchase',
    });
    expect(readFunnelSearch({ minutes: 'NaN' })).toEqual({});
    expect(readFunnelSearch({ minutes: 43_201 })).toEqual({});
  });
});
