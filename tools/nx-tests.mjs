import { dirname } from 'node:path';

/** What decides the outcome of a project's tests beside its own files and those of the libraries that it imports. */
const SURROUNDINGS = [
  '{workspaceRoot}/jest.config.mjs',
  '{workspaceRoot}/package-lock.json',
  '{workspaceRoot}/tsconfig.base.json',
  '{workspaceRoot}/.swcrc',
  '{workspaceRoot}/tools/*.mjs',
  '{workspaceRoot}/tools/suites/**/*',
  '{workspaceRoot}/tools/src/run-tests/**/*',
];
const OWN = ['{projectRoot}/**/*', '!{projectRoot}/dist/**/*', '^source'];
/** What specs read beside the sources that they import. Those of the tools read the whole repository. */
const READ = {
  'apps/dashboard': ['docs/seals/**/*'],
  'apps/experiments': ['docs/experiments/**/*'],
  'apps/gateway': ['docs/openapi.json'],
  'libs/contracts': ['docs/seals/**/*'],
  'libs/worker': ['docs/guides/**/*'],
  tools: ['*.md', '{apps,libs,docs,docker,k8s,.ci,.github}/**/*'],
};
/**
 * An Nx plugin: every project has the targets of its tests, so that `nx affected -t test` runs those of what a change
 * reaches, and what has been run before is taken from the cache. `test` is what needs no product; `test-product` is the
 * rest, which is never taken from a cache: a product runs the builds of every app, and a project whose target had all of
 * them for inputs would be affected by every change. Continuous integration runs `npm test`, which is everything.
 */
export const createNodesV2 = [
  '{apps,libs,tools}/**/package.json',
  (files) =>
    files
      .filter((file) => !file.includes('node_modules/') && !file.includes('dist/'))
      .map((file) => {
        const root = dirname(file);
        const read = (READ[root] ?? []).map((path) => `{workspaceRoot}/${path}`);
        const inputs = [...OWN, ...read, ...SURROUNDINGS];
        const targets = {
          test: { ...targetOf(root, ['pure', 'stored']), cache: true, inputs, outputs: [] },
          'test-product': { ...targetOf(root, ['product']), cache: false },
        };
        return [file, { projects: { [root]: { root, targets } } }];
      }),
];

function targetOf(root, kinds) {
  const selected = kinds.join(' ');
  return {
    command: `node tools/bootstrap.mjs test '${root}/(src|web)/' --passWithNoTests --selectProjects ${selected}`,
    options: { cwd: '{workspaceRoot}' },
  };
}
