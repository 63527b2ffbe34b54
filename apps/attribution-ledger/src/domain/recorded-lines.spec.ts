import { describe, expect, it } from '@jest/globals';
import { aLine, anAdjustment, aPurchase } from '../testing/commands.js';
import { adjustmentLines, costOf, purchaseLines } from './recorded-lines.js';

describe('the cost of a purchase', () => {
  it('the cost of a purchase is the sum over its lines, each rounded to the minor unit, half to even', () => {
    const lines = [
      aLine({ itemCost: '1.005', quantity: '1' }),
      aLine({ itemCost: '1.015', quantity: '1' }),
      aLine({ itemCost: '0.333333', quantity: '3' }),
    ];
    expect(costOf(aPurchase({ lines }))).toBe(100n + 102n + 100n);
    expect(costOf(aPurchase({ currency: 'JPY', lines: [aLine({ itemCost: '150', quantity: '2' })] }))).toBe(
      300n,
    );
  });

  it('the cost of a purchase is unknown as soon as any line has none', () => {
    const [said, silent] = [aLine({ itemCost: '1' }), aLine({ itemCost: null })];
    for (const lines of [[silent], [said, silent], [silent, said], [said, silent, said]]) {
      expect(costOf(aPurchase({ lines }))).toBeNull();
    }
    expect(costOf(aPurchase({ lines: [said, aLine({ itemCost: '0' })] }))).toBe(100n);
  });
});

it('lines are kept as they were given, amounts with the decimals of their currency', () => {
  const line = aLine({ quantity: '1.5', unitPrice: '66.666667', discount: 5n, itemCost: '0.1' });
  expect(JSON.parse(purchaseLines(aPurchase({ lines: [line] })))).toEqual([
    {
      line_id: 'line-1',
      sku: 'sku-1',
      quantity: '1.5',
      unit_price: '66.666667',
      subtotal: '100.00',
      discount: '0.05',
      commissionable_amount: '100.00',
      item_cost: '0.1',
    },
  ]);
  const change = { lineId: 'line-1', quantityDelta: '-0.5', subtotalDelta: -1n };
  expect(
    JSON.parse(adjustmentLines(anAdjustment({ orderId: 'o', currency: 'JPY', lines: [change] }))),
  ).toEqual([{ line_id: 'line-1', quantity_delta: '-0.5', subtotal_delta: '-1' }]);
});
