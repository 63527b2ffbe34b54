import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { REPOSITORY_ROOT } from '@truetally/testing';

const PACKAGES = ['browser-sdk', 'node-sdk', 'worker'];

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** What npm would publish, of all of them at once: it takes half a second of a processor to start. */
function pack(): readonly Packed[] {
  const workspaces = PACKAGES.map((name) => `--workspace=${join('libs', name)}`);
  const options = ['--dry-run', '--json', '--ignore-scripts'];
  const output = execFileSync('npm', ['pack', ...workspaces, ...options], { cwd: REPOSITORY_ROOT });
  return JSON.parse(String(output)) as readonly Packed[];
}

describe('the published packages', () => {
  let packed: readonly Packed[];

  beforeAll(() => {
    packed = pack();
  });

  it.each(PACKAGES)(
    'the package %s brings the licence, a README and each file that its exports name',
    (name) => {
      const cwd = join(REPOSITORY_ROOT, 'libs', name);
      const manifest = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as {
        readonly name: string;
        readonly exports: Exports;
      };
      const { exports } = manifest;
      const files = packed.find((one) => one.name === manifest.name)?.files ?? [];
      const paths = files.map(({ path }) => `./${path}`);
      const named = Object.values(exports).flatMap((target) =>
        typeof target === 'string' ? [] : Object.values(target),
      );
      expect(paths).toEqual(expect.arrayContaining(['./LICENSE', './README.md', ...named]));
      expect(readFileSync(join(cwd, 'LICENSE'), 'utf8')).toBe(
        readFileSync(join(REPOSITORY_ROOT, 'LICENSE'), 'utf8'),
      );
    },
  );

  it.each(PACKAGES)('the package %s names its entry also where exports are not read', (name) => {
    const manifest = readFileSync(join(REPOSITORY_ROOT, 'libs', name, 'package.json'), 'utf8');
    const { main, types, exports } = JSON.parse(manifest) as {
      readonly main?: string;
      readonly types?: string;
      readonly exports: Exports;
    };
    // A CommonJS project of TypeScript 5 resolves so, unless it says otherwise.
    expect({ types, default: main }).toEqual(exports['.']);
  });
});
