import { dirname } from 'node:path';

/** What decides the outcome of a project's tests beside its own files and those of the libraries that it imports. */
const SURROUNDINGS = [
  '{workspaceRoot}/jest.config.mjs',
  '{workspaceRoot}/package-lock.json',
  '{workspaceRoot}/tsconfig.base.json',
  '{workspaceRoot}/tools/*.mjs',
  '{workspaceRoot}/tools/suites/**/*',
  '{workspaceRoot}/tools/src/run-tests/**/*',
];
const OWN = ['{projectRoot}/**/*', '!{projectRoot}/dist/**/*', '^source'];
/** A launched product runs the builds of every app, which no test imports. */
const EVERYTHING = ['{workspaceRoot}/{apps,libs,tools}/*/src/**/*', '{workspaceRoot}/docs/**/*'];

/**
 * An Nx plugin: every project has the targets of its tests, so that `nx affected -t test` runs those of what a change
 * reaches, and what has been run before is taken from the cache. `test` is what needs no product; `test-product` is the
 * rest. Continuous integration runs `npm test`, which is everything.
 */
export const createNodesV2 = [
  '{apps,libs,tools}/**/package.json',
  (files) =>
    files
      .filter((file) => !file.includes('node_modules/') && !file.includes('dist/'))
      .map((file) => {
        const root = dirname(file);
        const targets = {
          test: targetOf(root, ['pure', 'stored'], [...OWN, ...SURROUNDINGS]),
          'test-product': targetOf(root, ['product'], [...OWN, ...EVERYTHING, ...SURROUNDINGS]),
        };
        return [file, { projects: { [root]: { root, targets } } }];
      }),
];

function targetOf(root, kinds, inputs) {
  const selected = kinds.join(' ');
  return {
    command: `node tools/bootstrap.mjs test ${root}/src --passWithNoTests --selectProjects ${selected}`,
    options: { cwd: '{workspaceRoot}' },
    cache: true,
    inputs,
    outputs: [],
  };
}
