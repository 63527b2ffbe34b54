const GROUPS = 200;
const GROUP_PRODUCTS = 10;
const LINES = 3;
/** How often the next product is of the same group as the first. */
const WITHIN_GROUP = 0.8;
/** Groups are asked for as their rank to this power. */
const ZIPF = 1;

/**
 * Orders of a shop whose structure is known: 2,000 products in 200 groups, the groups unequally popular, and most of an
 * order's products of one group. The same seed gives the same orders.
 */
export class ShoppingHabits {
  readonly products: readonly string[] = Array.from(
    { length: GROUPS * GROUP_PRODUCTS },
    (_, index) => `p-${index}`,
  );
  private readonly cumulated: readonly number[];

  constructor(private state: number) {
    let sum = 0;
    this.cumulated = Array.from({ length: GROUPS }, (_, rank) => (sum += 1 / (rank + 1) ** ZIPF));
  }

  /** Distinct products of one order. */
  order(): readonly string[] {
    const group = this.group();
    const chosen = new Set<string>();
    while (chosen.size < LINES) chosen.add(this.product(this.random() < WITHIN_GROUP ? group : this.group()));
    return [...chosen];
  }

  private group(): number {
    const drawn = this.random() * (this.cumulated.at(-1) ?? 0);
    return this.cumulated.findIndex((sum) => drawn < sum);
  }

  private product(group: number): string {
    return `p-${group * GROUP_PRODUCTS + Math.floor(this.random() * GROUP_PRODUCTS)}`;
  }

  /** From 0 to below 1 (mulberry32). */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
