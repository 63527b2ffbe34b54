import { expect, it } from '@jest/globals';
import type { Exchange } from '../http/exchange.js';
import { claimOf } from './resource.js';

it('an absent body, where it may be absent, is the same request under a key as one without fields', () => {
  const exchange = { request: { method: 'POST', url: '/api/v1/sites/s/api-keys/k/rotate' } } as Exchange;
  const claim = (body: unknown) => claimOf(exchange, { idempotencyKey: 'once' }, body);
  expect(claim(undefined)).toEqual(claim({}));
  expect(claim(null)).not.toEqual(claim({}));
  expect(claim({ overlap_seconds: 60 })).not.toEqual(claim({}));
});
