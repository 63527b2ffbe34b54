import { NEIGHBOUR_HALF_LIFE_DAYS, POPULARITY_HALF_LIFE_DAYS, weightOf } from './decayed-weight.js';

/**
 * What a session did with a product. `order` is a purchase that names no products, and has none itself: what the session
 * put into its cart was bought then.
 */
export const BASKET_KINDS = ['view', 'cart', 'purchase', 'order'] as const;
export type BasketKind = (typeof BASKET_KINDS)[number];
/** Kinds by which products are neighbours. */
export type NeighbourKind = 'purchase' | 'view';

/** Baskets are kept for so many UTC days; what is told of an older one is not counted, because it may have been. */
export const BASKET_DAYS = 90;
/** Products of one kind in a basket; further ones are not counted. */
export const BASKET_PRODUCTS = 32;
/** What a basket adds to the popularity of a product. */
export const POPULARITY = { view: 1, cart: 3, purchase: 10, order: 0 } as const satisfies Record<
  BasketKind,
  number
>;

/** What is in a basket is counted once, however often it is told. A basket is that of one session on one UTC day. */
export interface BasketEntry {
  readonly kind: BasketKind;
  /** Empty for an `order`. */
  readonly productId: string;
}

/** As it is stored: the letter of its kind, and the product. */
export function entryText({ kind, productId }: BasketEntry): string {
  return LETTERS[kind] + productId;
}

/** @param text of `entryText` */
export function entryOfText(text: string): BasketEntry {
  const kind = BASKET_KINDS.find((one) => LETTERS[one] === text[0]);
  if (kind === undefined) throw new Error('A basket has an entry of no kind.');
  return { kind, productId: text.slice(1) };
}

/** By which a statement finds the entries of a kind. */
export const LETTERS = { view: 'v', cart: 'c', purchase: 'p', order: 'o' } as const satisfies Record<
  BasketKind,
  string
>;

export interface TogetherWith extends BasketEntry {
  readonly kind: NeighbourKind;
  readonly otherId: string;
  readonly weight: number;
}

/** What a basket gains. */
export interface BasketChange {
  readonly entries: readonly BasketEntry[];
  /** By product. */
  readonly popularity: ReadonlyMap<string, number>;
  readonly pairs: number;
  /** Both ways: each product is its neighbour's. A basket may have a thousand, which are made when they are read. */
  together(): Iterable<TogetherWith>;
}

/** Adds what was told to what is known of a basket, in any order: the sum over all changes is the same. */
export function changeBasket(
  day: number,
  known: readonly BasketEntry[],
  told: readonly BasketEntry[],
): BasketChange {
  const basket = new Basket(day);
  for (const { kind, productId } of known) basket.of(kind).add(productId);
  for (const { kind, productId } of told) basket.add(kind, productId);
  return basket;
}

/** A product that joins the first ones of its kind. */
interface Joined {
  readonly kind: NeighbourKind;
  readonly productId: string;
  readonly others: number;
}

class Basket implements BasketChange {
  readonly entries: BasketEntry[] = [];
  readonly popularity = new Map<string, number>();
  pairs = 0;
  private readonly joined: Joined[] = [];
  private readonly products: Partial<Record<BasketKind, Set<string>>> = {};
  private readonly popularWeight: number;
  private readonly neighbourWeight: number;

  constructor(day: number) {
    this.popularWeight = weightOf(day, POPULARITY_HALF_LIFE_DAYS);
    this.neighbourWeight = weightOf(day, NEIGHBOUR_HALF_LIFE_DAYS);
  }

  of(kind: BasketKind): Set<string> {
    return (this.products[kind] ??= new Set());
  }

  add(kind: BasketKind, productId: string): void {
    const ofKind = this.of(kind);
    if (ofKind.has(productId) || ofKind.size >= BASKET_PRODUCTS) return;
    if (kind === 'view' || kind === 'purchase') this.join(kind, productId, ofKind);
    ofKind.add(productId);
    this.entries.push({ kind, productId });
    if (kind === 'order') return this.buyCart();
    const weight = POPULARITY[kind] * this.popularWeight;
    this.popularity.set(productId, (this.popularity.get(productId) ?? 0) + weight);
    if (kind !== 'cart') return;
    this.add('view', productId);
    if (this.of('order').size > 0) this.add('purchase', productId);
  }

  *together(): Generator<TogetherWith> {
    const weight = this.neighbourWeight;
    for (const { kind, productId, others } of this.joined) {
      let left = others;
      for (const otherId of this.of(kind)) {
        left -= 1;
        if (left < 0) break;
        yield { kind, productId, otherId, weight };
        yield { kind, productId: otherId, otherId: productId, weight };
      }
    }
  }

  private join(kind: NeighbourKind, productId: string, { size: others }: ReadonlySet<string>): void {
    this.joined.push({ kind, productId, others });
    this.pairs += 2 * others;
  }

  private buyCart(): void {
    for (const productId of this.of('cart')) this.add('purchase', productId);
  }
}
