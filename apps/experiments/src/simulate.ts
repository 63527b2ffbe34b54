import { simulateCoverage } from './simulations/coverage.js';
import { simulatePeeking } from './simulations/peeking.js';

/**
 * Prints the tables of docs/experiments/simulations.md: `npm run experiments:simulate`. Seeds are fixed, so
 * that the numbers are reproducible.
 */
const PERCENT = 100;
const share = (part: number, whole: number): string => `${((part / whole) * PERCENT).toFixed(2)} %`;

process.stdout.write(
  '| metric | runs | fixed, at its end | fixed, under peeking | always-valid, under peeking |\n',
);
process.stdout.write('|---|---|---|---|---|\n');
for (const { metric, runs, fixedAtEnd, fixedPeeking, sequentialPeeking } of simulatePeeking()) {
  const shares = [fixedAtEnd, fixedPeeking, sequentialPeeking].map((part) => share(part, runs));
  process.stdout.write(`| ${[metric, runs, ...shares].join(' | ')} |\n`);
}
process.stdout.write(
  '\n| interval at 95 % | sessions per arm | runs | holds the truth |\n|---|---|---|---|\n',
);
for (const { interval, sessionsPerArm, runs, covered } of simulateCoverage()) {
  process.stdout.write(`| ${[interval, sessionsPerArm, runs, share(covered, runs)].join(' | ')} |\n`);
}
