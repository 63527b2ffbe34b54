import { writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import {
  REPOSITORY_ROOT,
  SHARED_STARTS,
  type Starts,
  startsFileOf,
  startsIn,
  STARTS_VARIABLE,
  TOGETHER,
} from '@truetally/processes';

/** What Jest tells a reporter at the end, as far as it is used here. */
export interface RunResults {
  readonly startTime: number;
  readonly testResults: readonly SuiteResult[];
}

interface SuiteResult {
  readonly testFilePath: string;
  readonly perfStats: {
    readonly runtime: number;
    /** Seconds of processors (`tools/suites/run-suite.mjs`). */
    readonly processors?: number;
  };
}

const SHOWN_SUITES = 40;
const SECOND_MS = 1_000;
const COLUMN = 11;

/** What a suite took. */
export interface Cost {
  readonly seconds: number;
  /** Seconds of processors, of the suite and of the processes that it started: what a busy machine changes little. */
  readonly processors: number;
}

/** By the suite's path in the repository. */
type Costs = Readonly<Record<string, Cost>>;

/** By these `tools/longest-first.mjs` orders the next runs. */
const DURATIONS_FILE = join(REPOSITORY_ROOT, 'tools', 'test-durations.json');
/** Set to record them. */
const RECORD_VARIABLE = 'RECORD_TEST_DURATIONS';

/**
 * More starts of services than this fail a run: each costs two seconds of a processor, and a new suite seldom needs one
 * of its own (CONTRIBUTING.md, tests). A run has 106; the others are for what a busy machine makes a supervisor start once
 * more.
 */
export const MOST_SERVICE_STARTS = 110;
/** Processes that run services of the product. */
const SERVICE_PROCESSES: readonly string[] = [...SERVICE_NAMES, TOGETHER];
/** What each column of starts counts. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  services: SERVICE_PROCESSES,
  Kafka: ['Kafka'],
  Postgres: ['Postgres'],
};
const KINDS = Object.values(STARTED);

/** A Jest reporter: where the time of a run went, as the last thing that it prints. */
export default class SuiteReport {
  private error: Error | undefined;

  onRunComplete(_contexts: unknown, results: RunResults): void {
    const costs = costsOf(results);
    if (process.env[RECORD_VARIABLE] === 'true') {
      writeFileSync(DURATIONS_FILE, `${JSON.stringify(durationsOf(costs), null, 2)}\n`);
    }
    const elapsed = (Date.now() - results.startTime) / SECOND_MS;
    const file = process.env[STARTS_VARIABLE] ?? '';
    const starts = startsIn(dirname(file));
    console.log(describeRun(costs, elapsed, starts).join('\n'));
    // A run within a test counts with the test's own run.
    if (basename(file) === SHARED_STARTS) this.error = tooManyStarts(starts);
  }

  /** Jest ends with a failure when there is one. */
  getLastError(): Error | undefined {
    return this.error;
  }
}

function costsOf({ testResults }: RunResults): Costs {
  const entries = testResults.map(({ testFilePath, perfStats: { runtime, processors = 0 } }) => {
    const cost: Cost = { seconds: Math.round(runtime / 100) / 10, processors };
    return [relative(REPOSITORY_ROOT, testFilePath), cost] as const;
  });
  return Object.fromEntries(entries);
}

/** The longest first. */
function durationsOf(costs: Costs): Readonly<Record<string, number>> {
  const entries = Object.entries(costs).map(([suite, { seconds }]) => [suite, seconds] as const);
  return Object.fromEntries(entries.toSorted(([, left], [, right]) => right - left));
}

/**
 * @param elapsed seconds
 * @param starts processes by suite and name
 * @returns lines of a table, the dearest suite first
 */
export function describeRun(
  costs: Costs,
  elapsed: number,
  starts: ReadonlyMap<string, Starts>,
): readonly string[] {
  const suites = Object.entries(costs).toSorted(([, left], [, right]) => right.processors - left.processors);
  const shown = suites.slice(0, SHOWN_SUITES);
  const rest = suites.slice(SHOWN_SUITES);
  const startsOf = ([suite]: readonly [string, Cost]): readonly number[] =>
    KINDS.map((names) => count(starts.get(startsFileOf(suite)) ?? new Map(), names));
  const none = KINDS.map(() => 0);
  const ofRest = rest.map(startsOf).reduce((sums, more) => sums.map((sum, n) => sum + (more[n] ?? 0)), none);
  return [
    '',
    ['processors', 'seconds', ...Object.keys(STARTED)].map(rightAligned).join('').concat('  suite'),
    ...shown.map((one) => row(one[1], startsOf(one), one[0])),
    ...(rest.length === 0 ? [] : [row(sumOf(rest), ofRest, `${rest.length} others`)]),
    row(
      { ...sumOf(suites), seconds: elapsed },
      none,
      `all; ${sumOf(suites).seconds.toFixed(0)} s one after another`,
    ),
    '',
    ...Object.entries(STARTED).map(([what, names]) => `starts of ${what}: ${total(starts, names)}`),
  ];
}

function row({ processors, seconds }: Cost, starts: readonly number[], what: string): string {
  const counts = starts.map((number) => (number === 0 ? '' : String(number)));
  return [processors.toFixed(1), seconds.toFixed(1), ...counts].map(rightAligned).join('').concat('  ', what);
}

function rightAligned(cell: string): string {
  return cell.padStart(COLUMN);
}

function sumOf(some: readonly (readonly [string, Cost])[]): Cost {
  return some.reduce(
    (sum, [, { seconds, processors }]) => ({
      seconds: sum.seconds + seconds,
      processors: sum.processors + processors,
    }),
    { seconds: 0, processors: 0 },
  );
}

/** An error when a run has started more services than it may, with the suites that start most. */
export function tooManyStarts(starts: ReadonlyMap<string, Starts>): Error | undefined {
  const services = total(starts, SERVICE_PROCESSES);
  if (services <= MOST_SERVICE_STARTS) return undefined;
  const most = [...starts]
    .map(([suite, counts]) => [suite, count(counts, SERVICE_PROCESSES)] as const)
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, 10)
    .map(([suite, number]) => `${suite} ${number}`);
  return new Error(
    `The run started ${services} services and may start ${MOST_SERVICE_STARTS}: ${most.join(', ')}.`,
  );
}

function total(starts: ReadonlyMap<string, Starts>, names: readonly string[]): number {
  return [...starts.values()].reduce((sum, counts) => sum + count(counts, names), 0);
}

function count(starts: Starts, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (starts.get(name) ?? 0), 0);
}
