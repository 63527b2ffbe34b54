import { describe, expect, it } from '@jest/globals';
import { inventHistory } from './invented-history.js';

const NOW = Date.UTC(2026, 2, 10);

describe('the history of the second shop', () => {
  it('a history is the same every time, and over before it is told', () => {
    const history = inventHistory(NOW, 'https://shop.example');
    expect(inventHistory(NOW, 'https://shop.example')).toEqual(history);
    const times = history.events.map((event) =>
      Date.parse((event as { readonly occurred_at: string }).occurred_at),
    );
    expect(Math.max(...times)).toBeLessThan(NOW);
    expect(Math.min(...times)).toBeGreaterThan(NOW - 15 * 86_400_000);
  });

  it('a history has orders with 0, 2 and 3 decimals', () => {
    const { orders } = inventHistory(NOW, 'https://shop.example');
    const forms = orders.map(({ currency, amount }) => `${currency} ${amount.replaceAll(/\d+/g, '0')}`);
    expect([...new Set(forms)].toSorted()).toEqual(['JPY 0', 'KWD 0.0', 'USD 0.0']);
  });
});
