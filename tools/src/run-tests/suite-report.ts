import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { REPOSITORY_ROOT, STARTS_VARIABLE, startsIn, TOGETHER } from '@truetally/processes';

/** What Jest tells a reporter at the end, as far as it is used here. */
export interface RunResults {
  readonly startTime: number;
  readonly testResults: readonly SuiteResult[];
}

interface SuiteResult {
  readonly testFilePath: string;
  readonly perfStats: { readonly runtime: number };
}

const SHOWN_SUITES = 25;
const SECOND_MS = 1_000;
/** Seconds of each suite, by its path in the repository. */
type Durations = Readonly<Record<string, number>>;

/** By these `tools/longest-first.mjs` orders the next runs. */
const DURATIONS_FILE = join(REPOSITORY_ROOT, 'tools', 'test-durations.json');
/** Set to record them. */
const RECORD_VARIABLE = 'RECORD_TEST_DURATIONS';

/** A Jest reporter: where the time of a run went, as the last thing that it prints. */
export default class SuiteReport {
  onRunComplete(_contexts: unknown, results: RunResults): void {
    const durations = durationsOf(results);
    if (process.env[RECORD_VARIABLE] === 'true') {
      writeFileSync(DURATIONS_FILE, `${JSON.stringify(durations, null, 2)}\n`);
    }
    const starts = startsIn(process.env[STARTS_VARIABLE] ?? '');
    console.log(describeRun(durations, (Date.now() - results.startTime) / SECOND_MS, starts).join('\n'));
  }
}

function durationsOf({ testResults }: RunResults): Durations {
  const entries = testResults.map(
    ({ testFilePath, perfStats }) =>
      [relative(REPOSITORY_ROOT, testFilePath), Math.round(perfStats.runtime / 100) / 10] as const,
  );
  return Object.fromEntries(entries.toSorted(([, left], [, right]) => right - left));
}

/**
 * @param elapsed seconds
 * @param starts processes by name
 * @returns lines of a table
 */
export function describeRun(
  durations: Durations,
  elapsed: number,
  starts: ReadonlyMap<string, number>,
): readonly string[] {
  const suites = Object.entries(durations);
  const shown = suites.slice(0, SHOWN_SUITES);
  const rest = suites.slice(SHOWN_SUITES);
  const sum = (some: readonly (readonly [string, number])[]): number =>
    some.reduce((total, [, seconds]) => total + seconds, 0);
  const row = (seconds: number, what: string): string => `${seconds.toFixed(1).padStart(8)}  ${what}`;
  return [
    '',
    ' seconds  suite',
    ...shown.map(([suite, seconds]) => row(seconds, suite)),
    ...(rest.length === 0 ? [] : [row(sum(rest), `${rest.length} others`)]),
    row(elapsed, `elapsed; ${sum(suites).toFixed(0)} of all suites together`),
    '',
    `starts of services: ${startsOf(starts, [...SERVICE_NAMES, TOGETHER])}`,
    `starts of Kafka: ${startsOf(starts, ['Kafka'])}`,
    `starts of Postgres: ${startsOf(starts, ['Postgres'])}`,
  ];
}

function startsOf(starts: ReadonlyMap<string, number>, names: readonly string[]): number {
  return names.reduce((total, name) => total + (starts.get(name) ?? 0), 0);
}
