import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '@truetally/contracts/services';
import { NODE_BINARY, REPOSITORY_ROOT } from '@truetally/testing';
import { programsPath } from '@truetally/testing-product';

const BUNDLES = join(REPOSITORY_ROOT, 'dist');
const PROGRAMS = [...SERVICE_NAMES.map(programsPath), 'apps/dashboard/dist'];
/** Without bundles it is two thousand. */
const MOST_FILES = 40;

const read = (file: string): string => readFileSync(file, 'utf8');

/** The bundle of a program, and what it loads with it. */
function filesOf(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path = ''] of read(file).matchAll(
    /^(?:import|export|\} from|.* = await import)\b.*?"(\.[^"]+)"/gm,
  ))
    filesOf(join(dirname(file), path), found);
  return found;
}

describe('the bundles of the services', () => {
  it.each(PROGRAMS)('%s starts from a few files', (folder) => {
    const files = filesOf(join(BUNDLES, folder, 'main.js'));
    expect(files.size).toBeLessThanOrEqual(MOST_FILES);
  });

  it('a file that reads another one beside itself finds it from its bundle', () => {
    const places = globSync('**/*.js', { cwd: BUNDLES }).flatMap((name) =>
      [...read(join(BUNDLES, name)).matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)].map(
        ([, path = '']) => join(BUNDLES, dirname(name), path),
      ),
    );
    expect(places.length).toBeGreaterThan(2);
    expect(places.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('a copy of the repository compares its own files with its bundles', () => {
    const { sources, files } = JSON.parse(read(join(BUNDLES, '.bundled.json'))) as Record<string, string[]>;
    const named = [...(sources ?? []), ...(files ?? [])];
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((file) => isAbsolute(file))).toEqual([]);
  });

  it('a map has at most one place for a line, so that the first error of a process costs it little', () => {
    const maps = globSync('**/*.map', { cwd: BUNDLES }).map((name) => read(join(BUNDLES, name)));
    expect(maps.length).toBeGreaterThan(SERVICE_NAMES.length);
    const places = maps.map((map) => (JSON.parse(map) as { mappings: string }).mappings);
    expect(places.filter((lines) => lines.includes(','))).toEqual([]);
  });

  it('an error of a bundled service names the line of our source', () => {
    const program = join(BUNDLES, programsPath('gateway'), 'main.js');
    const { stderr } = spawnSync(NODE_BINARY, [program], { env: {}, encoding: 'utf8' });
    expect(stderr).toMatch(/ConfigError: [^]* at serve \(.*\/apps\/gateway\/src\/serve\.ts:\d+:\d+\)/);
  });
});
