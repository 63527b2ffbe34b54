import { describe, expect, it } from '@jest/globals';
import { readOrderFilters } from './order-list-query.js';

describe('the filters of a list of orders', () => {
  it.each([
    ['order_id_prefix', 'ab\0', 'must not contain U+0000 or an unpaired surrogate'],
    ['order_id_prefix', 'ab', 'must be 3 to 128 characters; got 2 characters'],
    ['currency', 'eur', 'must be an active ISO 4217 currency code in upper case; got 3 characters'],
    [
      'from',
      '29.03.2026 ',
      'must be a date such as 2026-03-29, or a date and time with an offset; got 11 characters with white space',
    ],
  ])('%s as %j is refused by its rule, with the shape of what was sent', (name, value, message) => {
    const read = readOrderFilters(new URLSearchParams({ [name]: value }), 'UTC');
    expect(read).toEqual({ ok: false, error: { [name]: [message] } });
  });
});
