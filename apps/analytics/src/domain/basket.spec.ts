import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type BasketChange, type BasketEntry, type BasketKind, changeBasket } from './basket.js';
import { toldProducts } from './told-products.js';

const DAY = 20_454;
const PRODUCTS = [...'abcde'];
const entry: fc.Arbitrary<BasketEntry> = fc.oneof(
  fc.record({
    kind: fc.constantFrom<BasketKind>('view', 'cart', 'purchase'),
    productId: fc.constantFrom(...PRODUCTS),
  }),
  fc.constant<BasketEntry>({ kind: 'order', productId: '' }),
);
const toldTwice = fc
  .array(entry, { maxLength: 20 })
  .chain((told) =>
    fc.tuple(fc.constant(told), fc.shuffledSubarray([...told, ...told], { minLength: 2 * told.length })),
  );

/** What the sums of a basket are by their definition. */
function plainly(told: readonly BasketEntry[]) {
  const of = (kind: BasketKind) => told.filter((one) => one.kind === kind).map(({ productId }) => productId);
  const cart = new Set(of('cart'));
  const view = new Set([...of('view'), ...cart]);
  const purchase = new Set([...of('purchase'), ...(of('order').length > 0 ? cart : [])]);
  const popularity = new Map<string, number>();
  for (const [ids, weight] of [
    [view, 1],
    [cart, 3],
    [purchase, 10],
  ] as const) {
    for (const id of ids) popularity.set(id, (popularity.get(id) ?? 0) + weight);
  }
  const pairs = (kind: string, ids: ReadonlySet<string>) =>
    [...ids].flatMap((one) => [...ids].filter((id) => id !== one).map((other) => `${kind} ${one} ${other}`));
  return { popularity, together: [...pairs('view', view), ...pairs('purchase', purchase)].sort() };
}

describe('a basket', () => {
  it('a basket has the same sums in whatever order and pieces it is told, and however often', () => {
    fc.assert(
      fc.property(toldTwice, fc.nat(40), ([told, delivered], cut) => {
        let known: readonly BasketEntry[] = [];
        const popularity = new Map<string, number>();
        const together: string[] = [];
        for (const piece of [delivered.slice(0, cut), delivered.slice(cut)]) {
          const change = changeBasket(DAY, known, piece);
          known = [...known, ...change.entries];
          for (const [id, weight] of change.popularity)
            popularity.set(id, (popularity.get(id) ?? 0) + weight);
          for (const one of change.together()) together.push(`${one.kind} ${one.productId} ${one.otherId}`);
        }
        expect({ popularity, together: together.sort() }).toEqual(plainly(told));
      }),
      { numRuns: 1_000 },
    );
  });

  it('the entries of a change, told again to what was in the basket before, make the same change', () => {
    const many = fc.array(
      fc.record({
        kind: fc.constantFrom<BasketKind>('view', 'cart', 'purchase', 'order'),
        productId: fc.nat(40).map(String),
      }),
      { maxLength: 120 },
    );
    const seen = (change: BasketChange) => ({
      entries: change.entries,
      popularity: change.popularity,
      together: [...change.together()].map((pair) => Object.values(pair).join(' ')).sort(),
    });
    fc.assert(
      fc.property(many, many, (first, second) => {
        const known = changeBasket(DAY, [], first).entries;
        const change = changeBasket(DAY, known, second);
        expect(seen(changeBasket(DAY, known, change.entries))).toEqual(seen(change));
      }),
    );
  });

  it('a basket counts a new day for more than an old one, twice as much after its half-life', () => {
    const told: readonly BasketEntry[] = [{ kind: 'view', productId: 'a' }];
    const weights = [DAY, DAY + 14].map((day) => changeBasket(day, [], told).popularity.get('a'));
    expect(weights).toEqual([1, 2]);
  });

  it('a basket counts the first 32 products of a kind', () => {
    const told = Array.from({ length: 40 }, (_, index) => ({ kind: 'view' as const, productId: `${index}` }));
    const change = changeBasket(DAY, [], told);
    expect([change.entries.length, change.pairs]).toEqual([32, 32 * 31]);
    expect([...change.together()]).toHaveLength(change.pairs);
    expect(changeBasket(DAY, change.entries, told).entries).toEqual([]);
  });
});

describe('an event', () => {
  it.each([
    ['product_view', { product_id: 'a' }, ['view a']],
    ['add_to_cart', { product_id: 'a' }, ['cart a']],
    ['purchase', { lines: [{ product_id: 'a' }, { product_id: 7 }] }, ['purchase a', 'purchase 7']],
    ['purchase', { items: [{ item_id: 'a' }, 'b', {}, null] }, ['purchase a', 'purchase b']],
    ['purchase', { lines: [], products: [{ id: 'a' }] }, ['purchase a']],
    ['purchase', { product_id: 'a' }, ['purchase a']],
    ['purchase', { order_id: 'o' }, ['order ']],
    ['product_view', { product_id: 'x'.repeat(129) }, []],
    ['product_view', { product_id: 'a\0' }, []],
    ['product_view', { product_id: '\ud800' }, []],
    ['remove_from_cart', { product_id: 'a' }, []],
    ['product_view', null, []],
  ])('an event %s with %j tells %j', (type, properties, told) => {
    expect(toldProducts(type, properties).map(({ kind, productId }) => `${kind} ${productId}`)).toEqual(told);
  });
});
