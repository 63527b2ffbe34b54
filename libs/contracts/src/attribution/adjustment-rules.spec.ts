import { describe, expect, it } from '@jest/globals';
import { AmountReader } from './amount-reader.js';
import { adjustmentIn } from './adjustment-rules.js';

function read(body: Readonly<Record<string, unknown>>) {
  const amounts = new AmountReader('EUR');
  const content = adjustmentIn(
    { revenue_delta: '-1.00', commissionable_delta: '-1.00', reason: 'return', ...body },
    amounts,
  );
  return { content, violations: amounts.violations };
}

function lines(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    line_id: `line-${index}`,
    quantity_delta: '-1',
    subtotal_delta: '-0.01',
  }));
}

describe('an adjustment', () => {
  it('an adjustment has up to 500 lines, and each of exactly 500 is read', () => {
    const { content, violations } = read({ lines: lines(500) });
    expect(violations).toEqual([]);
    expect(content?.lines).toHaveLength(500);
    expect(content?.lines.at(-1)).toEqual({ lineId: 'line-499', quantityDelta: '-1', subtotalDelta: -1n });
    expect(read({ lines: lines(501) }).content?.lines).toEqual([]);
  });

  it('an adjustment without tax, shipping and margin has an unknown margin, and zero for the others', () => {
    expect(read({}).content).toMatchObject({ taxDelta: 0n, shippingDelta: 0n, marginDelta: null, lines: [] });
    expect(read({ margin_delta: 0 }).content).toMatchObject({ marginDelta: 0n });
  });
});
