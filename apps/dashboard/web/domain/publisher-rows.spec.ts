import { describe, expect, it } from '@jest/globals';
import type { CurrencyMeasures } from '@truetally/node';
import { publisherRows } from './publisher-rows.js';

const USD: CurrencyMeasures = {
  currency: 'USD',
  settled_orders: 2,
  commissionable_revenue: '85.00',
  commission: { approved: '2.55', pending: '2.55', declined: '0.00' },
  reversals: { count: 0, amount: '0.00' },
  earnings_per_click: '2.550000',
};
const JPY: CurrencyMeasures = { ...USD, currency: 'JPY', commissionable_revenue: '9000' };

describe('the rows of a publisher report', () => {
  it('each interval has a row of each currency of the window, without facts with zeros of its decimals', () => {
    const series = [
      { start: '2026-01-31T05:00:00.000Z', clicks: 2, settled_orders: 2, currencies: [USD] },
      { start: '2026-02-01T05:00:00.000Z', clicks: 0, settled_orders: 0, currencies: [] },
    ];
    const rows = publisherRows([USD, JPY], series);
    expect(
      rows.map(({ currency, clicks, commissionable_revenue: revenue }) => [currency, clicks, revenue]),
    ).toEqual([
      ['USD', 2, '85.00'],
      ['JPY', 2, '0'],
      ['USD', 0, '0.00'],
      ['JPY', 0, '0'],
    ]);
    expect(rows.map(({ earnings_per_click: earned }) => earned)).toEqual(['2.550000', '0.0000', null, null]);
  });
});
