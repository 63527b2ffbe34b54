import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BATCH_PRODUCTS, batchesOf, readProductRows } from './product-rows.js';

describe('products of a file', () => {
  it('a file is a JSON list, an object with it, or a table; one without products is empty, and anything else is none', () => {
    const rows = [{ product_id: 'a', title: 'Cup' }];
    expect(readProductRows(JSON.stringify(rows))).toEqual(rows);
    expect(readProductRows(JSON.stringify({ products: rows }))).toEqual(rows);
    expect(readProductRows('\uFEFFproduct_id,title\r\na,Cup\r\n')).toEqual(rows);
    for (const text of ['', 'title\nCup', '{"products":1}', '[1]', '{']) {
      expect([text, readProductRows(text)]).toEqual([text, undefined]);
    }
    for (const text of ['[]', '{"products":[]}', 'product_id,title'])
      expect([text, readProductRows(text)]).toEqual([text, []]);
  });

  it('a table holds any text that its cells quote', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' '), minLength: 1 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (titles) => {
        const quoted = titles.map((title, index) => `${index},"${title.replaceAll('"', '""')}"`);
        const rows = readProductRows(['product_id,title', ...quoted].join('\n'));
        expect(rows?.map(({ title }) => title)).toEqual(titles);
      }),
    );
  });

  it('a cell that only begins with a quote is the text that it shows', () => {
    const rows = readProductRows('product_id,title,availability\nnail,"5" nail,in_stock\ncup,"Cup,preorder');
    expect(rows).toEqual([
      { product_id: 'nail', title: '"5" nail', availability: 'in_stock' },
      { product_id: 'cup', title: '"Cup', availability: 'preorder' },
    ]);
  });

  it('batches hold every product once, in order, each at most so many', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200_000), { maxLength: 30 }), fc.nat(2_500), (sizes, small) => {
        const titles = [...sizes.map((size) => 'x'.repeat(size)), ...Array<string>(small).fill('y')];
        const rows = titles.map((title, index) => ({ product_id: String(index), title }));
        const batches = batchesOf(rows);
        expect(batches.flatMap(({ products }) => products)).toEqual(rows);
        for (const { first, products } of batches) {
          expect(products[0]).toBe(rows[first]);
          expect(products.length).toBeLessThanOrEqual(BATCH_PRODUCTS);
          expect(products.length === 1 || JSON.stringify(products).length < 300_000).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});
