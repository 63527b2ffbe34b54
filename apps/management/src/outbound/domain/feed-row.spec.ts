import { describe, expect, it } from '@jest/globals';
import { judgeFeedRows } from '../../domain/feed-rows.js';
import { feedRow, type FeedFields } from './feed-row.js';

const LEAST: FeedFields = { id: '1', title: 'One' };
const judge = (fields: FeedFields, row = 1) => judgeFeedRows([feedRow({ row, fields })], new Map());
const errorsOf = (fields: FeedFields) =>
  judge(fields).errors.map(({ field, message }) => `${field}: ${message}`);

describe('a row of a feed', () => {
  it('a row becomes a product, and its other fields attributes', () => {
    const fields = {
      ...LEAST,
      link: 'https://a.example/1',
      image_link: 'https://a.example/1.png',
      price: '15.00 EUR',
      availability: 'in stock',
      brand: 'Brand',
      shipping: [{ country: 'DE' }, { country: 'FR' }],
    };
    expect(judge(fields).products).toEqual([
      {
        product_id: '1',
        title: 'One',
        url: 'https://a.example/1',
        image_url: 'https://a.example/1.png',
        price: '15.00',
        currency: 'EUR',
        availability: 'in_stock',
        attributes: { brand: 'Brand', shipping: [{ country: 'DE' }, { country: 'FR' }] },
      },
    ]);
  });

  it.each([
    ['15 EUR', '15.00', 'EUR'],
    ['USD 7.5', '7.50', 'USD'],
    ['100JPY', '100', 'JPY'],
  ])('the price %s is %s in %s', (price, amount, currency) => {
    expect(judge({ ...LEAST, price }).products).toMatchObject([{ price: amount, currency }]);
  });

  it.each([
    ['In Stock', 'in_stock'],
    ['out of stock', 'out_of_stock'],
    ['backorder', 'preorder'],
    ['', 'in_stock'],
  ])('the availability %p is %s', (availability, known) => {
    expect(judge({ ...LEAST, availability }).products).toMatchObject([{ availability: known }]);
  });

  it.each<[FeedFields, readonly string[]]>([
    [{ title: 'One' }, ['product_id: must be a non-empty string of at most 128 characters; got nothing']],
    [{ id: '1' }, ['title: must be a non-empty string of at most 512 characters; got nothing']],
    [{ ...LEAST, price: '-3 EUR' }, ['price: must be an amount and a currency, such as 15.00 EUR']],
    [{ ...LEAST, price: '1.234,50 EUR' }, ['price: must be an amount and a currency, such as 15.00 EUR']],
    [{ ...LEAST, price: '1.234 EUR' }, ['price: must have at most 2 decimals in EUR; got 3']],
    [
      { ...LEAST, availability: 'S3cret' },
      ['availability: must be in_stock, out_of_stock, preorder, backorder or discontinued'],
    ],
  ])('%j is refused by its field, without its value', (fields, errors) => {
    expect(errorsOf(fields)).toEqual(errors);
    expect(judge(fields).products).toEqual([]);
  });

  it('a row that breaks a rule names its product all the same', () => {
    expect(judge({ id: '1' }).named).toEqual([{ productId: '1', row: 1 }]);
  });

  it('a product that is named twice is the first row, before and behind a batch', () => {
    const rows = [1, 2].map((row) => feedRow({ row, fields: LEAST }));
    const twice = { row: 2, field: 'product_id', message: 'is the product_id of row 1 too' };
    expect(judgeFeedRows(rows, new Map())).toMatchObject({ products: [{ title: 'One' }], errors: [twice] });
    expect(judgeFeedRows(rows.slice(1), new Map([['1', 1]]))).toMatchObject({
      products: [],
      errors: [twice],
    });
    // The same batch again.
    expect(judgeFeedRows(rows.slice(0, 1), new Map([['1', 1]]))).toMatchObject({ errors: [] });
  });

  it('a row that is too large names no product by a part of its id', () => {
    const faults = ['x', '😀'].map((one) =>
      feedRow({ row: 1, fields: { id: one.repeat(1_000) }, fault: 'is long' }),
    );
    for (const row of faults) {
      expect(JSON.stringify(row).length).toBeLessThan(1_000);
      expect(judgeFeedRows([row], new Map())).toMatchObject({
        named: [],
        errors: [{ row: 1, message: 'is long' }],
      });
    }
  });
});
