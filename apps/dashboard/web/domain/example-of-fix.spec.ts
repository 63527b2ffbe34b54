import { describe, expect, it } from '@jest/globals';
import { exampleOfFix } from './example-of-fix.js';

describe('the example of a fix', () => {
  it.each([
    ['session_id', '{"session_id":"session-1"}'],
    ['properties.product_id', '{"properties":{"product_id":"product-1"}}'],
    ['properties.click_reference', '{"properties":{"click_reference":"click-1"}}'],
    ['properties.total_amount', '{"properties":{"total_amount":25.5}}'],
    ['context.page_url', '{"context":{"page_url":"https://shop.example/products/cup"}}'],
  ])('%s is sent as %s', (field, example) => {
    expect(exampleOfFix(field)).toBe(example);
  });

  it('a field that is not known has none', () => {
    expect(exampleOfFix('other')).toBeUndefined();
    expect(exampleOfFix('properties.anything')).toBeUndefined();
  });
});
