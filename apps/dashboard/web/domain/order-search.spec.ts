import { describe, expect, it } from '@jest/globals';
import { readOrderSearch } from './order-search.js';

describe('what an address narrows the orders by', () => {
  it('takes each filter as the API does, also an id of digits', () => {
    const search = { state: 'adjusted', currency: 'JPY', order: 12, provider: 'awin', partner_id: 'p' };
    expect(readOrderSearch(search)).toEqual({ ...search, order: '12' });
  });

  it('a broken part falls away', () => {
    expect(readOrderSearch({ state: 'open', currency: 'eur', order: '', touch_id: {} })).toEqual({});
  });
});
