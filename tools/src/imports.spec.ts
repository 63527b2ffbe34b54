import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY_ROOT } from '@truetally/testing';

const SOURCES = '{apps,libs,tools}/**/*.{ts,tsx}';
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Types count: a reader follows them as well. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(REPOSITORY_ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].flatMap(([, path = '']) => {
    const target = normalize(join(dirname(file), path)).replace(/\.js$/, '');
    return [`${target}.ts`, `${target}.tsx`].filter((name) => existsSync(join(REPOSITORY_ROOT, name)));
  });
}

/** Files from which no import leads out of the set are taken away until none is left but those of cycles. */
function filesOfCycles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const left = new Map(graph);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [file, targets] of left) if (!targets.some((target) => left.has(target))) left.delete(file);
  }
  return [...left.keys()];
}

describe('imports', () => {
  it('imports between files have no cycle, those of types neither', () => {
    const files = globSync(SOURCES, {
      cwd: REPOSITORY_ROOT,
      exclude: (name) => ['node_modules', 'dist', 'dist-testing', 'generated'].includes(name),
    }).filter((file) => !file.includes('spec.'));
    expect(files.length).toBeGreaterThan(1_000);
    expect(filesOfCycles(new Map(files.map((file) => [file, importsOf(file)])))).toEqual([]);
  });

  it('a cycle and what leads to it are found', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['b']],
      ['d', []],
    ]);
    expect(filesOfCycles(graph)).toEqual(['a', 'b', 'c']);
  });
});
