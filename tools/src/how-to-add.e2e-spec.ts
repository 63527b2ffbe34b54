import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManagedProcess, NODE_BINARY, programEnvironment, REPOSITORY_ROOT } from '@truetally/testing';
import { copyRepository, linkPackage } from './worked-example/copy-repository.js';
import { applyBlock, type PageBlock, readPage } from './worked-example/read-page.js';

const PAGE = join(REPOSITORY_ROOT, 'docs', 'worked-example.md');
/** Its folders, to which a new file belongs; files elsewhere are the repository's own. */
const OWN_FOLDERS = ['libs/contracts/src/shops/', 'apps/shops/', 'apps/gateway/src/shops/'];
/** As a caller of Jest sets it (tools/src/run-tests). */
const NODE_OPTIONS = '--experimental-vm-modules --disable-warning=ExperimentalWarning';

describe('docs/worked-example.md', () => {
  const blocks = readPage(readFileSync(PAGE, 'utf8'));
  const partOf = (name: string): readonly PageBlock[] => blocks.filter(({ part }) => part === name);
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'truetally-example-'));
    copyRepository(REPOSITORY_ROOT, root);
    for (const block of blocks) applyBlock(root, block);
    linkPackage(root, 'apps', 'shops');
  });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  async function run(name: string, args: readonly string[]): Promise<string> {
    const env = { ...programEnvironment(), ...process.env, NODE_OPTIONS };
    const started = await ManagedProcess.start({ name, command: NODE_BINARY, args, env, cwd: root });
    const { code } = await started.exited;
    expect({ code, output: code === 0 ? '' : started.output() }).toEqual({ code: 0, output: '' });
    return started.output();
  }

  const addedTo = (changes: readonly PageBlock[]): string[] => [
    ...new Set(
      changes.map(({ path }) => path).filter((path) => !OWN_FOLDERS.some((own) => path.startsWith(own))),
    ),
  ];

  it('a service is its folders, three lines, and an entry of the chart', () => {
    const changes = partOf('A service').filter(({ kind }) => kind === 'change');
    expect(addedTo(partOf('A service'))).toEqual([
      'libs/contracts/src/services/all.ts',
      'tsconfig.json',
      'apps/gateway/src/features.ts',
      'k8s/chart/values.yaml',
    ]);
    const lines = changes.flatMap((change) => change.lines.filter((line) => line.startsWith('+')));
    expect(lines).toHaveLength(5);
  });

  it('a resource is eight files at most, and lines in the test of all routes', () => {
    const part = partOf('A resource');
    expect(part.filter(({ kind }) => kind === 'file').length).toBeLessThanOrEqual(8);
    expect(addedTo(part)).toEqual(['apps/gateway/src/door/routes.spec.ts']);
  });

  it('a field of a resource is changes of its own files', () => {
    const part = partOf('A field of a resource');
    expect(part.filter(({ kind }) => kind === 'file')).toEqual([]);
    expect(addedTo(part)).toEqual([]);
  });

  it('an operation needs no topic and no access list', () => {
    expect(addedTo(partOf('An operation'))).toEqual(['apps/gateway/src/door/routes.spec.ts']);
  });

  it('all of it compiles, and its own tests hold with the real Kafka and Postgres', async () => {
    // What the page changes, and what names every service; one run reads what its projects share once.
    const projects = [
      'apps/gateway/tsconfig.lib.json',
      'libs/testing-product/tsconfig.lib.json',
      'apps/shops',
    ];
    await run('tsc', [join('node_modules', 'typescript', 'bin', 'tsc'), '-b', ...projects]);
    const named = blocks.map(({ path }) => path).filter((path) => path.endsWith('spec.ts'));
    const specs = [...new Set(named)];
    // In one process: three suites are not worth a worker each.
    const jest = join('node_modules', 'jest', 'bin', 'jest.js');
    const told = await run('jest', [jest, '--runInBand', ...specs]);
    expect(told).toContain(`Test Suites: ${specs.length} passed, ${specs.length} total`);
  });
});
