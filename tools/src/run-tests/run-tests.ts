import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  EXIT_FLAGS,
  FOR_TESTS,
  forgetProcess,
  identify,
  type LocalKafka,
  type LocalPostgres,
  NEW_DATA_VARIABLE,
  recordProcess,
  REPOSITORY_ROOT,
  secondsOfEndedChildren,
  sendSignal,
  settleAll,
  startKafka,
  startPostgres,
  STARTS_VARIABLE,
  WITHOUT_LAST_COMPILER,
} from '@truetally/processes';
import { findChromium, findShell, withoutBrowser } from './find-browser.js';
import { findEngine, withoutEngine } from './find-engine.js';
import { type NeededServers, neededServers } from './needed-servers.js';
import type { ProductForAll } from './offered-product.js';
import { createRunFolder, removeAbandonedRunFolders, type RunFolder } from './run-folder.js';

const JEST = join(REPOSITORY_ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const STRYKER = join(REPOSITORY_ROOT, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
const NODE_OPTIONS = [
  '--experimental-vm-modules',
  // Most of what properties make is garbage at once: with the usual 16 MiB suites of them take a tenth more of a processor.
  '--max-semi-space-size=64',
  '--disable-warning=ExperimentalWarning',
  '--disable-warning=TimeoutNegativeWarning',
].join(' ');
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const RUNNER_GRACE_MS = 3_000;
const FAILED = 1;
const MISUSED = 2;
/** What a mutated rule is tested by: a configuration of Stryker each. */
const MUTATED = ['pure', 'stored'];
/** Tests of compaction wait for it. */
const COMPACTION_MS = 2_000;

/** Behind the caller’s own: an option with a list would take them for its items. */
const JEST_ARGUMENTS = [
  `--testSequencer=${join(REPOSITORY_ROOT, 'tools', 'longest-first.mjs')}`,
  '--reporters=default',
  `--reporters=${join(import.meta.dirname, 'suite-report.js')}`,
];

/**
 * Runs Jest with its own Kafka and Postgres. Without a Chromium, or ClickHouse's engine, the tests that need
 * it are left out; where `REQUIRE_BROWSER`, or `REQUIRE_CLICKHOUSE`, is `true` that is a failure.
 * @returns the exit code
 */
export async function runTests(jestArguments: readonly string[]): Promise<number> {
  const program = [JEST, ...jestArguments, ...JEST_ARGUMENTS];
  const chromium = findChromium(process.env);
  const engine = findEngine();
  // Jest's configuration reads them: tests that need one are matched only where it is set.
  process.env['CHROMIUM_SHELL'] = findShell(process.env) ?? '';
  process.env['CHROMIUM'] = chromium ?? '';
  process.env['CLICKHOUSE_ENGINE'] = engine ?? '';
  const leftOut = [
    ...(chromium === undefined ? [withoutBrowser()] : []),
    ...(engine === undefined ? [withoutEngine()] : []),
  ];
  const tell = (): void => leftOut.forEach((line) => console.error(line));
  tell();
  const isMissing =
    (chromium === undefined && process.env['REQUIRE_BROWSER'] === 'true') ||
    (engine === undefined && process.env['REQUIRE_CLICKHOUSE'] === 'true');
  const code = isMissing ? FAILED : await runWithStack(program, neededServers(jestArguments));
  tell();
  return code;
}

/**
 * Runs the mutation tester in the same way.
 * @param parameters `pure` or `stored` (a file beside `tools/mutate/settings.mjs`), and the files to mutate instead of its own list
 */
export async function runMutations([which = 'pure', ...files]: readonly string[]): Promise<number> {
  const unknown = MUTATED.includes(which) ? files.find((file) => file.startsWith('-')) : which;
  if (unknown !== undefined) {
    console.error(`Unknown argument ${unknown}; say ${MUTATED.join(' or ')}, and files to mutate.`);
    return MISUSED;
  }
  const config = join(REPOSITORY_ROOT, 'tools', 'mutate', `${which}.config.mjs`);
  const mutate = files.length === 0 ? [] : ['--mutate', files.join(',')];
  const needed = { kafka: which !== 'pure', postgres: which !== 'pure' };
  return runWithStack([STRYKER, 'run', config, ...mutate], needed);
}

/** Removes everything afterwards, also when interrupted. */
async function runWithStack(program: readonly string[], needed: NeededServers): Promise<number> {
  await removeAbandonedRunFolders();
  const interruption = interrupted();
  const folder = await createRunFolder();
  // A run within a test counts in the run of the test, and takes from it what that has.
  process.env[STARTS_VARIABLE] ??= folder.startsFile;
  process.env[NEW_DATA_VARIABLE] ??= folder.newData;
  let runner: ChildProcess | undefined;
  let product: ProductForAll | undefined;
  try {
    const stack = await Promise.race([startStack(folder, needed), interruption]);
    if (typeof stack === 'number') return stack;
    const { kafka, postgres } = stack;
    if (kafka !== undefined && postgres !== undefined) {
      const { ProductForAll } = await import('./offered-product.js');
      product = await ProductForAll.offer({ kafkaBrokers: kafka.brokers, databaseUrl: postgres.url });
    }
    runner = startRunner(program, folder, stack, product);
    const ended = once(runner, 'exit').then(([code]: (number | null)[]) => code ?? FAILED);
    return await Promise.race([ended, interruption]);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return FAILED;
  } finally {
    if (runner !== undefined) await endGroup(runner);
    await product?.stop();
    await folder.remove();
    const seconds = secondsOfEndedChildren();
    if (seconds !== undefined) console.error(`seconds of processors: ${seconds.toFixed(0)}`);
  }
}

/** Undefined is what the run does not need. */
interface Stack {
  readonly kafka: LocalKafka | undefined;
  readonly postgres: LocalPostgres | undefined;
}

async function startStack(folder: RunFolder, needed: NeededServers): Promise<Stack> {
  // That of suites with a Postgres of their own, which begin with a copy of its new data.
  const login = { user: 'owner', password: 'owner' };
  const [kafka, postgres] = await settleAll([
    needed.kafka
      ? startKafka({ dataDir: folder.kafkaDataDir, compactionMs: COMPACTION_MS })
      : Promise.resolve(undefined),
    needed.postgres
      ? startPostgres({ dataDir: folder.postgresDataDir, ...login, settings: FOR_TESTS })
      : Promise.resolve(undefined),
  ]);
  return { kafka, postgres };
}

/** In a separate process group, so that its workers can be ended with it. */
function startRunner(
  program: readonly string[],
  folder: RunFolder,
  { kafka, postgres }: Stack,
  product: ProductForAll | undefined,
): ChildProcess {
  const runner = spawn(process.execPath, [...EXIT_FLAGS, WITHOUT_LAST_COMPILER, ...program], {
    cwd: REPOSITORY_ROOT,
    detached: true,
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_OPTIONS,
      NODE_ENV: 'test',
      TMPDIR: folder.temporary,
      ...(kafka === undefined
        ? {}
        : { TEST_KAFKA_BROKERS: kafka.brokers, TEST_KAFKA_FOLDER: folder.kafkaDataDir }),
      ...(postgres === undefined ? {} : { TEST_DATABASE_URL: postgres.url }),
      ...product?.environment,
    },
  });
  const identity = runner.pid === undefined ? null : identify(runner.pid);
  if (identity !== null) {
    recordProcess(identity);
    runner.once('exit', () => forgetProcess(identity));
  }
  return runner;
}

/** Resolves with a shell's exit code for the signal. */
function interrupted(): Promise<number> {
  return new Promise((resolve) => {
    for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => resolve(code));
  });
}

/** Also processes of its group that a finished runner has left. */
async function endGroup(leader: ChildProcess): Promise<void> {
  const hasEnded = (): boolean => leader.exitCode !== null || leader.signalCode !== null;
  if (!hasEnded()) {
    signalGroup(leader, 'SIGTERM');
    await Promise.race([once(leader, 'exit'), delay(RUNNER_GRACE_MS, undefined, { ref: false })]);
  }
  signalGroup(leader, 'SIGKILL');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) sendSignal(-pid, signal);
}
