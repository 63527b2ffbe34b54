import jest from '../../jest.config.mjs';

/**
 * What both runs of `npm run mutate` have in common (docs/reliability.md).
 * @param mutate globs of the files that are changed
 * @param tests globs of the tests that must notice
 */
export function settings({ mutate, tests }) {
  return {
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    coverageAnalysis: 'perTest',
    jest: {
      config: {
        ...jest,
        testMatch: tests.map((glob) => `<rootDir>/${glob}`),
        // The mutated copy stands in .local.
        modulePathIgnorePatterns: ['/dist/'],
        testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
      },
    },
    mutate,
    // Words of messages and names of statements: a test of each would say them a second time.
    mutator: { excludedMutations: ['StringLiteral'] },
    ignorePatterns: ['.local', '.nx', '**/dist'],
    symlinkNodeModules: true,
    tempDirName: '.local/mutation',
    concurrency: 1,
    reporters: ['clear-text', 'progress-append-only', 'json'],
    clearTextReporter: { allowColor: false, reportTests: false },
    thresholds: { high: 95, low: 90, break: 90 },
  };
}
