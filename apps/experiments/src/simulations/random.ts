/**
 * Numbers from 0 (inclusive) to 1 (exclusive), reproducible by seed: mulberry32 by Tommy Ettinger (public
 * domain).
 */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The value of one session. */
export type Draw = (random: () => number) => number;

export const converts =
  (rate: number): Draw =>
  (random) =>
    random() < rate ? 1 : 0;

/**
 * Realistic revenue: most sessions have none, the others a lognormal order, whose mean is far above its
 * median.
 */
export const buys =
  (rate: number): Draw =>
  (random) =>
    random() < rate ? Math.exp(LOG_MEDIAN + LOG_SPREAD * normal(random)) : 0;

const LOG_MEDIAN = Math.log(40);
const LOG_SPREAD = 0.9;

export function meanOfBuying(rate: number): number {
  return rate * Math.exp(LOG_MEDIAN + LOG_SPREAD ** 2 / 2);
}

/** Box–Muller transform. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Moments of a growing sample, by the recurrences of Welford and Terriberry. */
export class Sample {
  count = 0;
  mean = 0;
  private squares = 0;
  private cubes = 0;

  add(value: number): void {
    this.count += 1;
    const before = value - this.mean;
    const step = before / this.count;
    const square = before * step * (this.count - 1);
    this.mean += step;
    this.cubes += square * step * (this.count - 2) - 3 * step * this.squares;
    this.squares += square;
  }

  get skewness(): number | null {
    return this.squares === 0 ? null : (Math.sqrt(this.count) * this.cubes) / this.squares ** 1.5;
  }

  get variance(): number | null {
    return this.count < 2 ? null : this.squares / (this.count - 1);
  }
}
