/** `npm test` names what it has found of the things that not every machine has (tools/src/run-tests). */
const products = [
  'e2e-spec',
  ...(process.env.CHROMIUM ? ['browser-spec'] : []),
  ...(process.env.CLICKHOUSE_ENGINE ? ['clickhouse-spec'] : []),
];

/** Of every project, and of the mutation tester (tools/mutate). */
export const shared = {
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/', '/.local/'],
  transform: { '^.+\\.ts$': ['@swc/jest', {}] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['development', 'node', 'node-addons'] },
  // No test measures time, and a machine may be slow: this ends only what hangs.
  testTimeout: 600_000,
};

/** A kind of tests, which `--selectProjects` names. */
function project(displayName, kinds) {
  const testMatch = kinds.map((kind) => `<rootDir>/{apps,libs,tools}/**/{src,web}/**/*.${kind}.ts`);
  return {
    ...shared,
    displayName,
    rootDir: import.meta.dirname,
    // What Jest knows of the files: a run has a folder of its own for temporary ones, and would read all of them again.
    cacheDirectory: `${import.meta.dirname}/node_modules/.cache/jest`,
    roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools'],
    testMatch,
    injectGlobals: false,
    testRunner: `${import.meta.dirname}/tools/suites/run-suite.mjs`,
    testEnvironment: `${import.meta.dirname}/tools/suites/environment.mjs`,
  };
}

/** One run for all projects, so that they share one Kafka and one Postgres (started by `npm test`). */
export default {
  projects: [
    // Needs no other process: `npm test -- --selectProjects pure` starts none.
    project('pure', ['spec']),
    project('stored', ['db-spec']),
    project('product', products),
  ],
  testTimeout: shared.testTimeout,
  // More than the processors: much of what runs here waits for another process. With four a quarter of two is idle; with eight, and
  // Kafka's optimising compiler, the run right behind one of 599 s and 1,018 s of processors took 728 s and 1,251.
  maxWorkers: 6,
  // By default half a second, in which six processes do not always give their memory back: then Jest warned of a leak that was none.
  workerGracefulExitTimeout: 20_000,
};
