/**
 * Numbers from 0 (inclusive) to 1 (exclusive), reproducible by seed: mulberry32 by Tommy Ettinger (public
 * domain).
 */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Random = () => number;

/** Trials until the next success, itself included, with a probability of `rate` each. */
export function gapOf(rate: number, random: Random): number {
  return 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - rate));
}

/** Numbers of successes among `trials`: draws by the inverse of the cumulative binomial distribution. */
export function binomialOf(trials: number, rate: number): (random: Random) => number {
  const cumulative: number[] = [];
  let [probability, sum] = [(1 - rate) ** trials, 0];
  for (let successes = 0; successes < trials; successes += 1) {
    sum += probability;
    cumulative.push(sum);
    probability *= ((trials - successes) / (successes + 1)) * (rate / (1 - rate));
  }
  return (random) => {
    const place = random();
    let successes = 0;
    for (; successes < trials && place >= (cumulative[successes] ?? 1); successes += 1);
    return successes;
  };
}

/** Order values: lognormal, whose mean is far above its median. */
export function orderValue(random: Random): number {
  return Math.exp(LOG_MEDIAN + LOG_SPREAD * normal(random));
}

const LOG_MEDIAN = Math.log(40);
const LOG_SPREAD = 0.9;

export const MEAN_ORDER_VALUE = Math.exp(LOG_MEDIAN + LOG_SPREAD ** 2 / 2);

/** Box–Muller transform. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
