import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router';

/**
 * How an address is read and written: each value as it stands there. The router's own way reads JSON, by which an order `1e5` of
 * a link is the order 100000, and one of twenty digits none.
 */
export const addressText = {
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(JSON.stringify),
};
