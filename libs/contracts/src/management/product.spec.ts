import { describe, expect, it } from '@jest/globals';
import { anyCharacter, anyUrl } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { currencyCodes, formatMinor, mergePatch, minorDigitsOf, readJson } from '@truetally/kernel';
import { readProduct } from './product.js';

const SITE_ID = '0b5e0000-0000-4000-8000-000000000001';
const LEAST = { site_id: SITE_ID, product_id: 'SKU-1', title: 'Merino jumper' };
const LEAST_READ = {
  ...LEAST,
  url: null,
  image_url: null,
  price: null,
  currency: null,
  availability: 'in_stock',
  attributes: {},
};
const MAX_EUR = '92233720368547758.07';

function productOf(body: unknown) {
  const product = readProduct(body);
  if (!product.ok) throw new Error(JSON.stringify(product.error));
  return product.value;
}

function problemsOf(body: unknown) {
  const product = readProduct(body);
  return product.ok ? {} : product.error;
}

/** A body of this text, as the reader receives it. */
function parsed(text: string): unknown {
  const json = readJson(text);
  if (!json.ok) throw new Error(json.error.message);
  return json.value.value;
}

describe('a product (interface page, section 9)', () => {
  it('needs a site, an id and a title; everything else has a default or is null', () => {
    expect(productOf(LEAST)).toEqual(LEAST_READ);
    expect(problemsOf({})).toEqual({
      site_id: ['must be a UUID; got nothing'],
      product_id: ['must be a non-empty string of at most 128 characters; got nothing'],
      title: ['must be a non-empty string of at most 512 characters; got nothing'],
    });
  });

  it('takes null for absent', () => {
    const optional = { url: null, image_url: null, price: null, currency: null };
    expect(productOf({ ...LEAST, ...optional, availability: null, attributes: null })).toEqual(LEAST_READ);
    expect(Object.keys(problemsOf({ site_id: null, product_id: null, title: null }))).toEqual([
      'site_id',
      'product_id',
      'title',
    ]);
  });

  it('names every broken rule at once', () => {
    const body = {
      site_id: 'shop',
      product_id: '',
      title: '  ',
      url: 'ftp://shop.example/1',
      image_url: '/1.png',
      price: '-1.005',
      currency: 'EUR',
      availability: 'sold_out',
      attributes: ['red'],
      colour: 'red',
    };
    expect(problemsOf(body)).toEqual({
      site_id: ['must be a UUID; got 4 characters'],
      product_id: ['must be a non-empty string of at most 128 characters; got an empty string'],
      title: ['must be a non-empty string of at most 512 characters; got white space'],
      url: ['must be an absolute http(s) URL'],
      image_url: ['must be an absolute http(s) URL'],
      price: ['must be at least 0; got -1.005', 'must have at most 2 decimals in EUR; got 3'],
      availability: ['must be one of in_stock, out_of_stock, preorder, discontinued; got 8 characters'],
      attributes: ['must be an object; got an array of 1 item'],
      colour: ['is not a known field'],
    });
  });

  it.each<[string, unknown, readonly string[]]>([
    ['site_id', SITE_ID.toUpperCase(), []],
    ['site_id', 7, ['must be a UUID; got a number']],
    ['product_id', '😀'.repeat(128), []],
    [
      'product_id',
      'p'.repeat(129),
      ['must be a non-empty string of at most 128 characters; got 129 characters'],
    ],
    ['product_id', 7, ['must be a non-empty string of at most 128 characters; got a number']],
    ['product_id', 'a\0', ['must not contain U+0000 or an unpaired surrogate']],
    ['product_id', 'a\uD800', ['must not contain U+0000 or an unpaired surrogate']],
    ['title', '😀'.repeat(512), []],
    ['title', 't'.repeat(513), ['must be a non-empty string of at most 512 characters; got 513 characters']],
    ['url', `https://shop.example/${'a'.repeat(2_027)}`, []],
    [
      'url',
      `https://shop.example/${'a'.repeat(2_028)}`,
      ['must be an absolute http(s) URL of at most 2048 characters; got 2049 characters'],
    ],
    ['url', 'javascript:alert(1)', ['must be an absolute http(s) URL']],
    ['url', 'https://', ['must be an absolute http(s) URL']],
    ['image_url', '', ['must be an absolute http(s) URL; got an empty string']],
    ['image_url', 'http://cdn.example/1.png?w=80#x', []],
    ['availability', 'preorder', []],
    [
      'availability',
      'IN_STOCK',
      ['must be one of in_stock, out_of_stock, preorder, discontinued; got one of them in another spelling'],
    ],
    ['attributes', {}, []],
    ['attributes', { text: 'a'.repeat(8_181) }, []],
    ['attributes', { text: 'a'.repeat(8_182) }, ['must be at most 8192 bytes as JSON']],
    ['attributes', { text: 'é'.repeat(4_091) }, ['must be at most 8192 bytes as JSON']],
    ['attributes', { a: { b: { c: { d: { e: { f: { g: {} } } } } } } }, []],
    [
      'attributes',
      { a: { b: { c: { d: { e: { f: { g: [[]] } } } } } } },
      ['must not nest deeper than 8 levels'],
    ],
    ['attributes', 'red', ['must be an object; got 3 characters']],
    ['currency', 'EUR', []],
    ['currency', 'eur', ['must be an active ISO 4217 currency code in upper case; got 3 characters']],
    ['currency', 'XXX', ['must be an active ISO 4217 currency code in upper case; got 3 characters']],
  ])('%s: %p is judged %j', (field, value, messages) => {
    expect(problemsOf({ ...LEAST, [field]: value })).toEqual(
      messages.length === 0 ? {} : { [field]: messages },
    );
  });

  it('refuses a number in its attributes that Postgres could not compute with', () => {
    const body = parsed(`{"site_id":"${SITE_ID}","product_id":"1","title":"t","attributes":{"n":1e140000}}`);
    expect(problemsOf(body)).toEqual({
      attributes: [
        'must not hold a number of more than 131072 digits before the decimal point or 16383 after it',
      ],
    });
  });

  it('keeps every digit of its attributes, and drops forbidden names', () => {
    const text = '{"exact":0.1234567890123456789,"big":9007199254740993,"e":1e400,"list":[1.50,null]}';
    const product = productOf({ ...LEAST, attributes: parsed(text) });
    expect(JSON.stringify(product.attributes)).toBe(text.replace('1.50', '1.5'));
    const named = parsed('{"__proto__":1,"a":{"constructor":2,"trust":3,"b":"x\\u0000"},"trust_class":4}');
    expect(JSON.stringify(productOf({ ...LEAST, attributes: named }).attributes)).toBe(
      '{"a":{"b":"x\uFFFD"}}',
    );
  });

  it('replaces characters that Postgres cannot store in texts', () => {
    const body = { ...LEAST, title: 'a\0b\uD800', url: 'https://shop.example/\uD800' };
    expect(productOf(body)).toMatchObject({ title: 'a\uFFFDb\uFFFD', url: 'https://shop.example/\uFFFD' });
  });
});

describe('a price (interface page, section 6)', () => {
  const priced = (price: string, currency: string): unknown =>
    parsed(`{"site_id":"${SITE_ID}","product_id":"1","title":"t","price":${price},"currency":"${currency}"}`);

  it.each([
    ['12.5', 'EUR', '12.50'],
    ['"12.5"', 'EUR', '12.50'],
    ['0', 'EUR', '0.00'],
    ['-0', 'EUR', '0.00'],
    ['"-0.00"', 'EUR', '0.00'],
    ['1500.0', 'JPY', '1500'],
    ['1e2', 'EUR', '100.00'],
    ['0.1', 'KWD', '0.100'],
    ['12.345', 'IQD', '12.345'],
    [MAX_EUR, 'EUR', MAX_EUR],
    [`"${MAX_EUR}"`, 'EUR', MAX_EUR],
    ['9223372036854775807', 'JPY', '9223372036854775807'],
  ])('%s %s is %s', (price, currency, text) => {
    expect(productOf(priced(price, currency))).toMatchObject({ price: text, currency });
  });

  it.each([
    ['12.345', 'EUR', 'must have at most 2 decimals in EUR; got 3'],
    ['0.5', 'JPY', 'must have at most 0 decimals in JPY; got 1'],
    ['-0.01', 'EUR', 'must be at least 0; got -0.01'],
    [
      '92233720368547758.08',
      'EUR',
      `must be at most ${MAX_EUR} in EUR, 2^63 - 1 minor units, and at least its negative`,
    ],
    [
      '"1e2"',
      'EUR',
      'must be a JSON number or a plain decimal string, of at most 40 digits before and after the point; got 3 characters',
    ],
    [
      'true',
      'EUR',
      'must be a JSON number or a plain decimal string, of at most 40 digits before and after the point; got a boolean',
    ],
    [
      '""',
      'EUR',
      'must be a JSON number or a plain decimal string, of at most 40 digits before and after the point; got an empty string',
    ],
  ])('%s %s is refused: %s', (price, currency, message) => {
    expect(problemsOf(priced(price, currency))).toEqual({ price: [message] });
  });

  it('requires its currency; a currency without a price is validated and dropped', () => {
    expect(problemsOf({ ...LEAST, price: '1.00' })).toEqual({ currency: ['is required with a price'] });
    expect(problemsOf({ ...LEAST, price: -1, currency: 'euro' })).toEqual({
      currency: ['must be an active ISO 4217 currency code in upper case; got 4 characters'],
      price: ['must be at least 0; got -1'],
    });
    expect(productOf({ ...LEAST, currency: 'EUR' })).toEqual(LEAST_READ);
  });

  it('a price is answered as it was meant, to the minor unit, in every currency', () => {
    const amounts = fc.tuple(
      fc.constantFrom(...currencyCodes()),
      fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    );
    fc.assert(
      fc.property(amounts, fc.boolean(), ([currency, minor], isNumber) => {
        const text = formatMinor(minor, currency);
        const product = productOf(priced(isNumber ? text : `"${text}"`, currency));
        expect(product).toMatchObject({ price: text, currency });
        expect((product.price?.split('.')[1] ?? '').length).toBe(minorDigitsOf(currency));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a change of a product', () => {
  const whole = productOf({
    ...LEAST,
    price: '12.50',
    currency: 'EUR',
    attributes: { colour: 'red', size: { eu: 38, uk: null } },
  });

  it('leaves other fields unchanged, also in its attributes', () => {
    expect(productOf(mergePatch(whole, {}))).toEqual(whole);
    const changed = productOf(
      mergePatch(whole, { price: 9, attributes: { colour: null, size: { eu: 40 } } }),
    );
    expect(changed).toEqual({ ...whole, price: '9.00', attributes: { size: { eu: 40, uk: null } } });
  });

  it('takes a currency away with its price', () => {
    expect(productOf(mergePatch(whole, { price: null }))).toEqual({ ...whole, price: null, currency: null });
  });
});

it('throws for no input, refuses with a message, and reads its own output in the same way', () => {
  const names = Object.keys(LEAST_READ);
  const value = fc.oneof(
    fc.anything(),
    fc.string({ unit: anyCharacter }),
    anyUrl,
    fc.double(),
    fc.object(),
    fc.constantFrom('EUR', 'JPY', '1.00', '7'),
  );
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
  const bodies = fc.oneof(
    fc.anything(),
    fields,
    fields.map((some) => ({ ...some, ...LEAST })),
  );
  fc.assert(
    fc.property(bodies, (body) => {
      const product = readProduct(body);
      if (product.ok) {
        expect(readProduct(product.value)).toEqual(product);
        return;
      }
      const messages = Object.values(product.error);
      expect(messages.length).toBeGreaterThan(0);
      expect(messages.every((list) => list.length > 0)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
