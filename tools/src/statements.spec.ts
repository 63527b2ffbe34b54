import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { REPOSITORY_ROOT } from '@truetally/testing';

const SOURCES = '{apps,libs}/*/src/**/*.ts';
const NAMED = /name: '([a-z0-9-]+)',\s*text:/g;

it('a prepared statement has a name that no other one of its service or library has: a connection would refuse the second', () => {
  const files = globSync(SOURCES, { cwd: REPOSITORY_ROOT }).filter(
    (file) => !/spec\.ts$|\/testing\//.test(file),
  );
  const places = new Map<string, string[]>();
  for (const file of files) {
    const project = file.split('/').slice(0, 2).join('/');
    for (const [, name = ''] of readFileSync(join(REPOSITORY_ROOT, file), 'utf8').matchAll(NAMED)) {
      const key = `${project} ${name}`;
      places.set(key, [...(places.get(key) ?? []), file]);
    }
  }
  expect(places.size).toBeGreaterThan(50);
  expect([...places].filter(([, found]) => found.length > 1)).toEqual([]);
});
