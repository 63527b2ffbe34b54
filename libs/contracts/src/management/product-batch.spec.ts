import { describe, expect, it } from '@jest/globals';
import { anyUrl } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { readProduct } from './product.js';
import { readProductBatch } from './product-batch.js';

const SITE_ID = '0b5e0000-0000-4000-8000-000000000001';
const ITEM = { product_id: 'SKU-1', title: 'Merino jumper' };

function problemsOf(body: unknown) {
  const batch = readProductBatch(body);
  return batch.ok ? {} : batch.error;
}

describe('a batch of products (interface page, section 9)', () => {
  it.each([
    [{ products: [] }, 'must be an array of 1 to 1000 items; got an empty array'],
    [
      { products: Array.from({ length: 1_001 }, () => ({})) },
      'must be an array of 1 to 1000 items; got an array of 1001 items',
    ],
    [{ products: ITEM }, 'must be an array of 1 to 1000 items; got an object'],
    [{}, 'must be an array of 1 to 1000 items; got nothing'],
  ])('%# is refused as a whole: %s', (body, message) => {
    expect(problemsOf({ site_id: SITE_ID, ...body })).toEqual({ products: [message] });
  });

  it('names every broken rule of every product at once, and repeated products', () => {
    const products = [
      ITEM,
      { product_id: '2', title: 7, price: '1.234', currency: 'EUR' },
      null,
      { product_id: 'SKU-1', title: 'Again', site_id: SITE_ID },
      { product_id: '', title: 'x' },
      { product_id: '', title: 'x' },
      'SKU-1',
    ];
    expect(problemsOf({ site_id: 'shop', products, extra: 1 })).toEqual({
      site_id: ['must be a UUID; got 4 characters'],
      extra: ['is not a known field'],
      'products.1.title': ['must be a non-empty string of at most 512 characters; got a number'],
      'products.1.price': ['must have at most 2 decimals in EUR; got 3'],
      'products.2': ['must be an object; got null'],
      'products.3.product_id': ['is the product_id of products.0 too'],
      'products.3.site_id': ['is not a known field'],
      'products.4.product_id': ['must be a non-empty string of at most 128 characters; got an empty string'],
      'products.5.product_id': [
        'must be a non-empty string of at most 128 characters; got an empty string',
        'is the product_id of products.4 too',
      ],
      'products.6': ['must be an object; got 5 characters'],
    });
  });

  it('a batch of products has the same errors for each product as a single body', () => {
    const value = fc.oneof(fc.string(), fc.integer(), anyUrl, fc.constantFrom(null, 'EUR', '1.5', {}));
    const names = ['title', 'url', 'image_url', 'price', 'currency', 'availability', 'attributes', 'other'];
    const fields = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
    fc.assert(
      fc.property(fc.array(fields, { minLength: 1, maxLength: 5 }), (some) => {
        const products = some.map((item, index) => ({ ...item, product_id: `p${index}` }));
        const batch = readProductBatch({ site_id: SITE_ID, products });
        const singles = products.map((item) => readProduct({ ...item, site_id: SITE_ID }));
        const errors = singles.flatMap((single, index) =>
          single.ok
            ? []
            : Object.entries(single.error).map(
                ([path, list]) => [`products.${index}.${path}`, list] as const,
              ),
        );
        if (batch.ok) {
          const read = batch.value.products.map((product) => ({ site_id: SITE_ID, ...product }));
          expect(read).toEqual(singles.map((single) => single.ok && single.value));
        } else expect(batch.error).toEqual(Object.fromEntries(errors));
      }),
      { numRuns: 500 },
    );
  });
});
