import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY_ROOT } from '../repository.js';
import { flagsOf } from './spawn-service.js';

const setsFlag = /setFlagsFromString\('(.+)'\)/;

describe('spawn-service', () => {
  it('a service that sets a flag of V8 behind its start is started with it, and no other one is', () => {
    const [, flag = ''] = setsFlag.exec(read('libs/platform/src/late-collection.ts')) ?? [];
    const programs = globSync('apps/*/src/{,*/}main.ts', { cwd: REPOSITORY_ROOT });
    const late = programs.filter((program) => read(program).includes('late-collection'));
    expect(late.map(nameOf).toSorted()).toEqual(['analytics', 'management', 'outbound']);
    const started = programs.filter((program) => flagsOf(nameOf(program)).includes(flag));
    expect(started).toEqual(late);
  });
});

function read(file: string): string {
  return readFileSync(join(REPOSITORY_ROOT, file), 'utf8');
}

/** `apps/<name>/src/main.ts`, or `apps/<other>/src/<name>/main.ts`. */
function nameOf(program: string): string {
  const folder = dirname(program);
  return basename(basename(folder) === 'src' ? dirname(folder) : folder);
}
