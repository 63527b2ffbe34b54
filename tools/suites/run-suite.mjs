import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expectDocumentedAnswers } from './documented-answers.mjs';
import { begin } from './globals.mjs';
import './load-source.mjs';

process.setSourceMapsEnabled(true);

const require = createRequire(import.meta.url);
const CIRCUS = join(dirname(require.resolve('jest-circus/package.json')), 'build', 'jestAdapterInit.js');
const CIRCUS_HANDLERS = Symbol.for('EVENT_HANDLERS');
/** Suites that speak HTTP with a gateway. */
const PRODUCT = 'product';
const STACK_FRAMES = 20;
const STAT = '/proc/self/stat';
/** The first and the last of four times in `/proc/<pid>/stat`, behind the command: own ones and those of ended children. */
const OWN_USER = 11;
const CHILDREN_SYSTEM = 14;
const TICKS_PER_SECOND = 100;

/**
 * Runs a suite as Jest's own runner does, but in the worker's own realm: modules are loaded once per worker instead of
 * once per suite, which was a quarter of the time of all tests. So no suite may rely on modules of its own. Jest's main
 * process is told of a suite when it ends, and not of each of its tests, of which it would only keep count.
 */
export default async function runSuite(globalConfig, config, environment, runtime, testPath) {
  const before = secondsOfProcessors();
  // Jest's frames are in the way of Node's own source maps, and each frame that is kept costs the tested code time.
  Error.prepareStackTrace = undefined;
  Error.stackTraceLimit = STACK_FRAMES;
  // The state of Jest's tests is that of one suite, too.
  Reflect.deleteProperty(require.cache, CIRCUS);
  Reflect.deleteProperty(globalThis, CIRCUS_HANDLERS);
  const { initialize, runAndTransformResultsToJestFormat } = require(CIRCUS);
  await initialize({
    config,
    environment,
    globalConfig,
    localRequire: require,
    parentProcess: process,
    runtime,
    setGlobalsForRuntime: (globals) =>
      begin({ ...globals, jest: runtime.jestGlobals.jestObjectFor(testPath) }),
    testPath,
  });
  const setupAfterEnvPerfStats = { setupAfterEnvStart: Date.now(), setupAfterEnvEnd: Date.now() };
  if (config.displayName?.name === PRODUCT) expectDocumentedAnswers();
  await import(pathToFileURL(testPath).href);
  const results = await runAndTransformResultsToJestFormat({
    config,
    globalConfig,
    setupAfterEnvPerfStats,
    testPath,
  });
  const processors = secondsOfProcessors() - before;
  return { ...results, perfStats: { ...results.perfStats, processors } };
}

/** Of this worker and of the processes that it has started, as far as they have ended; 0 where the system does not say. */
function secondsOfProcessors() {
  if (!existsSync(STAT)) return 0;
  const stat = readFileSync(STAT, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(OWN_USER, CHILDREN_SYSTEM + 1).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}
