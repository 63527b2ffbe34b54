import { shared } from '../../jest.config.mjs';

/**
 * Settings of both runs of `npm run mutate` (docs/reliability.md).
 * @param mutate globs of the mutated files
 * @param tests globs of the tests that must fail
 */
export function settings({ mutate, tests }) {
  return {
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    coverageAnalysis: 'perTest',
    jest: {
      config: {
        ...shared,
        // Instead of those of the configuration file, whose suites share their modules: a mutant would live on in them.
        projects: [],
        testMatch: tests.map((glob) => `<rootDir>/${glob}`),
        // Seconds for each mutant; what they show has specs of its rules, too.
        testPathIgnorePatterns: [...shared.testPathIgnorePatterns, '/simulations/'],
        // The mutated copy is in .local.
        modulePathIgnorePatterns: ['/dist/'],
        testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
      },
    },
    mutate,
    // Texts of messages and names of statements: testing each would only repeat them.
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
