import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/testing';

const CORE_BYTES = 5 * 1024;
const ALL_BYTES = 9 * 1024;
const FOLDER = join(REPOSITORY_ROOT, 'libs', 'browser-sdk');
const SERVED = join(FOLDER, 'dist', 'bundle', 'served');

interface File {
  readonly file: string;
  readonly integrity: string;
}

describe('the bundled SDK', () => {
  let core: File;
  let links: File;

  beforeAll(() => {
    execFileSync(NODE_BINARY, [join(FOLDER, 'bundle.mjs')]);
    const manifest = JSON.parse(readFileSync(join(SERVED, 'manifest.json'), 'utf8')) as {
      readonly files: { readonly 'truetally.js': File; readonly 'truetally-links.js': File };
    };
    core = manifest.files['truetally.js'];
    links = manifest.files['truetally-links.js'];
  });

  const read = ({ file }: File): Buffer => readFileSync(join(SERVED, file));
  const zipped = (file: File): number => gzipSync(read(file), { level: 9 }).length;

  it('the core is at most 5 KiB, and with every lazy part at most 9 KiB', () => {
    expect(zipped(core)).toBeLessThanOrEqual(CORE_BYTES);
    expect(zipped(core) + zipped(links)).toBeLessThanOrEqual(ALL_BYTES);
  });

  it('the manifest names each file by its content, and its integrity', () => {
    for (const file of [core, links]) {
      const digest = createHash('sha384').update(read(file)).digest();
      expect(file.integrity).toBe(`sha384-${digest.toString('base64')}`);
      expect(file.file).toContain(digest.toString('hex').slice(0, 16));
    }
    expect(read(core).toString()).toContain(links.integrity);
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

  it('the module does nothing where there is no window, under the names that it documents', () => {
    const program = `const sdk = await import('./dist/bundle/index.mjs');
      sdk.init({ siteId: 'site', endpoint: 'https://api.example/api/v1' });
      console.log(JSON.stringify([sdk.page() ?? null, Object.keys(sdk), Object.keys(sdk.diagnostics())]));`;
    const output = execFileSync(NODE_BINARY, ['--input-type=module', '-e', program], { cwd: FOLDER });
    const [id, methods, diagnostics] = JSON.parse(String(output)) as [unknown, string[], string[]];
    expect(id).toBeNull();
    expect(methods.toSorted()).toEqual([
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
