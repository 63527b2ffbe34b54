import { type Coverage, INTERVALS, isTooNarrow, simulateCoverage } from './simulations/coverage.js';
import { type FalseWinners, MOST_FALSE_WINNERS, simulatePeeking } from './simulations/peeking.js';
import { MOST_FALSE_MISMATCHES, simulateSampleRatios } from './simulations/sample-ratios.js';
import type { Scenario } from './simulations/traffic.js';

/**
 * Prints the tables of docs/experiments/simulations.md: `npm run experiments:simulate`. Seeds are fixed, so
 * that the numbers are reproducible. It fails if one of them misses its target; such a number has a `!`.
 */
const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  process.stderr.write('Usage: npm run experiments:simulate\n');
  process.exit(argument === '--help' ? 0 : 2);
}
const missed: string[] = [];

function target(isMissed: boolean, text: string): string {
  if (isMissed) missed.push(text);
  return isMissed ? `${text} !` : text;
}

const percent = (part: number, whole: number, decimals = 1): string =>
  `${((part / whole) * 100).toFixed(decimals)} %`;

const row = (cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

function header(title: string, columns: readonly string[]): void {
  process.stdout.write(`\n${title}\n\n`);
  row(columns);
  process.stdout.write(`|${'---|'.repeat(columns.length)}\n`);
}

const described = ({ metric, rate, controlShare }: Scenario): readonly string[] => [
  metric,
  percent(rate, 1),
  percent(controlShare, 1, 0),
];

function peekingRow({ scenario, sessions, runs, ...found }: FalseWinners): void {
  row([
    ...described(scenario),
    sessions.toLocaleString('en'),
    percent(found.fixedAtEnd, runs),
    percent(found.fixedPeeking, runs),
    percent(found.withoutBurnIn, runs),
    found.agrestiCaffo === null ? '–' : percent(found.agrestiCaffo, runs),
    target(found.alwaysValid > MOST_FALSE_WINNERS * runs, percent(found.alwaysValid, runs)),
  ]);
}

function coverageRow({ scenario, sessions, runs, intervals }: Coverage): void {
  const cells = INTERVALS.map((name) => {
    const { shown, covered } = intervals[name];
    if (shown === 0) return '–';
    const text = `${percent(covered, shown)} of ${percent(shown, runs, 0)}`;
    return target(isTooNarrow(intervals[name], runs), text);
  });
  row([...described(scenario), sessions.toLocaleString('en'), ...cells]);
}

const SCENARIO = ['metric', 'conversion rate', 'control', 'sessions'];

header('False winners', [
  ...SCENARIO,
  'fixed, at its end',
  'fixed, at any look',
  'always-valid without burn-in',
  'Agresti–Caffo without burn-in',
  'always-valid',
]);
simulatePeeking().forEach(peekingRow);
header('Coverage of the intervals without a warning, and the share of runs that have one', [
  ...SCENARIO,
  'mean of control',
  'mean, adjusted',
  'difference',
  'difference, adjusted',
  'relative',
  'relative, adjusted',
  'always-valid',
]);
simulateCoverage().forEach(coverageRow);
header('False mismatches', [
  'control',
  'all sessions, p-value',
  'all sessions, always-valid p-value',
  'any part, p-value',
  'any part, its state',
]);
for (const { controlShare, runs, whole, wholeAlwaysValid, parts, partStates } of simulateSampleRatios()) {
  row([
    percent(controlShare, 1, 0),
    percent(whole, runs),
    percent(wholeAlwaysValid, runs),
    percent(parts, runs),
    target(partStates > MOST_FALSE_MISMATCHES * runs, percent(partStates, runs)),
  ]);
}
if (missed.length > 0) {
  process.stderr.write(`Targets missed: ${missed.join('; ')}.\n`);
  process.exitCode = 1;
}
