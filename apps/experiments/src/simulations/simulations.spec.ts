import { describe, expect, it } from '@jest/globals';
import { coverage, INTERVALS, isTooNarrow, LEAST_COVERAGE } from './coverage.js';
import { falseWinners, MOST_FALSE_WINNERS } from './peeking.js';
import { binomialOf, randomOf } from './random.js';
import { falseMismatches, MOST_FALSE_MISMATCHES } from './sample-ratios.js';
import type { Scenario } from './traffic.js';

// A short form of `npm run experiments:simulate`, whose seeds are fixed: every run gives the same figures.
const RUNS = 200;
const COVERAGE_RUNS = 400;
/** Two standard errors below the target, because the runs are few. */
const LEAST = LEAST_COVERAGE - 2 * Math.sqrt((0.05 * 0.95) / COVERAGE_RUNS);

const scenario = (given: Partial<Scenario>): Scenario => ({
  metric: 'conversion',
  rate: 0.03,
  controlShare: 0.05,
  effect: 0,
  ...given,
});

describe('interface page, section 7: peeking is safe', () => {
  it.each([
    scenario({ controlShare: 0.5 }),
    scenario({ controlShare: 0.1 }),
    scenario({ controlShare: 0.05 }),
    scenario({ metric: 'revenue per session', controlShare: 0.1 }),
    scenario({ metric: 'revenue per session', controlShare: 0.05 }),
  ])('identical arms have at most 5 %% false winners at any look: %o', (identical) => {
    const { alwaysValid } = falseWinners(identical, RUNS);
    expect(alwaysValid / RUNS).toBeLessThanOrEqual(MOST_FALSE_WINNERS);
  });

  it('the simulation finds the false winners of looking at a test that does not wait', () => {
    const runs = RUNS / 4;
    const { withoutBurnIn, fixedPeeking } = falseWinners(scenario({}), runs);
    expect(withoutBurnIn / runs).toBeGreaterThan(2 * MOST_FALSE_WINNERS);
    expect(fixedPeeking / runs).toBeGreaterThan(0.5);
  });

  it.each([
    scenario({ effect: 0.2 }),
    scenario({ metric: 'revenue per session', effect: 0.2 }),
    scenario({ metric: 'revenue per session', effect: 0.2, controlShare: 0.5 }),
  ])('intervals without a warning cover at least 93 %%: %o', (different) => {
    for (const { sessions, intervals } of coverage(different, [2_000, 8_000, 40_000], COVERAGE_RUNS)) {
      const narrow = INTERVALS.filter((name) => isTooNarrow(intervals[name], COVERAGE_RUNS, LEAST));
      expect([sessions, narrow]).toEqual([sessions, []]);
    }
  });

  it('most runs have an interval without a warning in the end', () => {
    const runs = 10;
    const [late] = coverage(scenario({ metric: 'revenue per session', effect: 0.2 }), [400_000], runs);
    for (const name of INTERVALS) expect(late?.intervals[name].shown).toBeGreaterThan(runs / 2);
  });

  it('parts of a sample that is divided as planned are rarely a mismatch, however often one looks', () => {
    const runs = 30;
    const { parts, partStates } = falseMismatches(0.1, runs);
    expect(partStates / runs).toBeLessThanOrEqual(MOST_FALSE_MISMATCHES);
    expect(parts / runs).toBeGreaterThan(MOST_FALSE_MISMATCHES);
  });
});

describe('the traffic of the simulations', () => {
  it('divides ten sessions by the binomial distribution', () => {
    const [random, draw] = [randomOf(1), binomialOf(10, 0.1)];
    const draws = Array.from({ length: 20_000 }, () => draw(random));
    const share = (of: number) => draws.filter((one) => one === of).length / draws.length;
    // 0.9¹⁰ and 10 × 0.1 × 0.9⁹.
    expect(share(0)).toBeCloseTo(0.3487, 2);
    expect(share(1)).toBeCloseTo(0.3874, 2);
  });
});
