import { describe, expect, it } from '@jest/globals';
import {
  chiSquareUpper,
  normalQuantile,
  normalTwoSided,
  studentQuantile,
  studentTwoSided,
} from './distributions.js';

const near = (actual: number, expected: number): void => {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-6 * Math.min(1, Math.abs(expected)));
};

// Probabilities: mpmath 1.3 at 30 digits (betainc, erfc, gammainc). Points of t: SciPy 1.x `stats.t.ppf`; those
// of whole
// degrees of freedom are in the NIST/SEMATECH e-Handbook, table 1.3.6.7.2, to three decimals.
describe('the distributions, to 1e-6 of values computed elsewhere', () => {
  it.each([
    [0.8, 0.841621233572914205],
    [0.9, 1.2815515655446005],
    [0.975, 1.95996398454005424],
    [0.9995, 3.29052673149189479],
    [1e-6, -4.75342430882289895],
  ])('normal quantile of %d', (p, expected) => near(normalQuantile(p), expected));

  it.each([
    [0, 1],
    [0.5, 0.617075077451973793],
    [-1.959963984540054, 0.05],
    [3.2905267314919255, 0.001],
    [6, 1.97317529007539628e-9],
  ])('two-sided normal of %d', (z, expected) => near(normalTwoSided(z), expected));

  it.each([
    [0.975, 1, 12.706204736174694],
    [0.975, 2.5, 3.5746548420036817],
    [0.975, 10, 2.228138851986274],
    [0.995, 30, 2.7499956535672254],
    [0.9, 100, 1.290074761346516],
    [0.975, 1e6, 1.959966356814107],
  ])('quantile of %d of t with %d', (p, df, expected) => near(studentQuantile(p, df), expected));

  it.each([
    [1, 1, 0.5],
    [2.5, 3.7, 0.0718220229118267728],
    [-3, 12.25, 0.0108444045149113884],
    [6, 40, 4.72645513278818751e-7],
    [12, 9.5, 4.71251701439432021e-7],
  ])('two-sided t of %d with %d', (t, df, expected) => near(studentTwoSided(t, df), expected));

  it.each([
    [3.841458820694124, 1, 0.05],
    [10.827566170662733, 1, 0.001],
    [0.3, 1, 0.583882420770365179],
    [25, 1, 5.73303143758387823e-7],
    [5.991464547107979, 2, 0.05],
  ])('upper chi-square of %d with %d', (x, df, expected) => near(chiSquareUpper(x, df), expected));
});
