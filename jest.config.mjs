/** `npm test` names a browser where it has found one (tools/src/run-tests). */
const kinds = ['spec', 'db-spec', 'e2e-spec', ...(process.env.CHROMIUM ? ['browser-spec'] : [])];

/** One run for all projects, so that they share one Kafka and one Postgres (started by `npm test`). */
export default {
  testMatch: [`<rootDir>/{apps,libs,tools}/**/src/**/*.{${kinds.join(',')}}.ts`],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/', '/.local/'],
  transform: { '^.+\\.ts$': ['@swc/jest', {}] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['development', 'node', 'node-addons'] },
  // No test measures time, and a machine may be slow: this ends only what hangs.
  testTimeout: 600_000,
  // More than the processors: much of what runs here waits for another process.
  maxWorkers: 3,
};
