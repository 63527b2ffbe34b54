import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/testing';

const CORE_BYTES = 5 * 1024;
/** With what only some pages load: touches, links, overlays, quizzes, chatbots and recommendations. */
const ALL_BYTES = 9 * 1024;
const FOLDER = join(REPOSITORY_ROOT, 'libs', 'browser-sdk');
const SERVED = join(FOLDER, 'dist', 'bundle', 'served');

interface File {
  readonly file: string;
  readonly integrity: string;
}

interface Manifest {
  readonly files: Readonly<Record<string, File>>;
}

describe('the bundled SDK', () => {
  let files: Manifest['files'];

  beforeAll(() => {
    execFileSync(NODE_BINARY, [join(FOLDER, 'bundle.mjs')]);
    ({ files } = JSON.parse(readFileSync(join(SERVED, 'manifest.json'), 'utf8')) as Manifest);
  });

  const read = (name: string): Buffer => readFileSync(join(SERVED, files[name]?.file ?? name));
  const zipped = (name: string): number => gzipSync(read(name), { level: 9 }).length;

  it('the core is at most 5 KiB, and with its lazy part 9 KiB', () => {
    expect(zipped('truetally.js')).toBeLessThanOrEqual(CORE_BYTES);
    const all = Object.keys(files).reduce((sum, name) => sum + zipped(name), 0);
    expect(all).toBeLessThanOrEqual(ALL_BYTES);
  });

  it('no name that a page or an answer knows is among those that the bundle shortens', () => {
    const source = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
    const [, inner = ''] = /^const INNER =\s+\/\^\(([\w|]+)\)\$\/;$/m.exec(source('bundle.mjs')) ?? [];
    const known = ['types', 'event-types', 'campaign-types'].flatMap((name) =>
      [...source(`src/${name}.ts`).matchAll(/(?:readonly |^ {2})(\w+)\??[:(<]/gm)].map(
        ([, member]) => member,
      ),
    );
    expect(known).toEqual(expect.arrayContaining(['siteId', 'flush', 'keywords', 'click_reference']));
    expect(inner.split('|').filter((name) => known.includes(name))).toEqual([]);
  });

  it('the manifest names each file by its content, and its integrity', () => {
    expect(Object.keys(files)).toHaveLength(2);
    for (const [name, { file, integrity }] of Object.entries(files)) {
      const digest = createHash('sha256').update(read(name)).digest();
      expect(integrity).toBe(`sha256-${digest.toString('base64')}`);
      expect(file).toContain(digest.toString('hex').slice(0, 8));
      if (name !== 'truetally.js') expect(read('truetally.js').toString()).toContain(integrity);
    }
  });

  it('the SDK needs no other package, in its code and in its types', () => {
    const { dependencies } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
      readonly dependencies?: object;
    };
    expect(dependencies).toBeUndefined();
    const sources = readdirSync(join(FOLDER, 'src')).filter((name) => !name.endsWith('spec.ts'));
    const imported = sources
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [
        ...readFileSync(join(FOLDER, 'src', name), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g),
      ])
      .map(([, target]) => target);
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((target) => !target?.startsWith('./'))).toEqual([]);
  });

  it.each([
    ['there is no window', ''],
    [
      "a test's window cannot ask anybody",
      'globalThis.window = globalThis.origin = ""; delete globalThis.fetch;',
    ],
    ["a test's window has no origin", 'globalThis.window = "";'],
  ])('the module does nothing where %s, under the names that it documents', (_, before) => {
    const program = `${before} delete globalThis.TextEncoder; const sdk = await import('./dist/bundle/index.mjs');
      sdk.init({ siteId: 'site', endpoint: 'https://api.example/api/v1' });
      console.log(JSON.stringify([sdk.page() ?? null, Object.keys(sdk), Object.keys(sdk.diagnostics())]));`;
    const output = execFileSync(NODE_BINARY, ['--input-type=module', '-e', program], { cwd: FOLDER });
    const [id, methods, diagnostics] = JSON.parse(String(output)) as [unknown, string[], string[]];
    expect(id).toBeNull();
    expect(methods.toSorted()).toEqual([
      'attribution',
      'diagnostics',
      'flush',
      'identify',
      'init',
      'onError',
      'page',
      'setConsent',
      'track',
    ]);
    expect(diagnostics.toSorted()).toEqual([
      'consent',
      'dropped',
      'endpoint',
      'paused_until',
      'requests',
      'site_id',
      'storage',
      'version',
      'waiting',
    ]);
  });
});
