import { describe, expect, it } from '@jest/globals';
import { earningsPerClick } from './earnings-per-click.js';

describe('the earnings per click', () => {
  it.each([
    [1_000n, 3n, 'EUR', '3.333333'],
    [1n, 20_000n, 'EUR', '0.000000'],
    [3n, 20_000n, 'EUR', '0.000002'],
    [0n, 7n, 'EUR', '0.000000'],
    [100n, 8n, 'JPY', '12.5000'],
    [1n, 1n, 'KWD', '0.0010000'],
  ])('%d minor units by %d clicks are, in %s, %s', (commission, clicks, currency, shown) => {
    expect(earningsPerClick(commission, clicks, currency)).toEqual({ earnings_per_click: shown });
  });

  it('the earnings per click are unknown without clicks, and say why', () => {
    expect(earningsPerClick(5n, 0n, 'EUR')).toEqual({
      earnings_per_click: null,
      reason: 'There were no clicks.',
    });
  });
});
