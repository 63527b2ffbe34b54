import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { programsOf, SERVICE_NAMES, SERVICES } from '@truetally/contracts/services';
import { REPOSITORY_ROOT } from '@truetally/testing';

/** They read megabytes at a time, which V8 would collect the whole heap for. */
const FOLLOWERS = SERVICES.filter(({ follows }) => follows.includes('eventsStored')).map(({ name }) => name);

function firstImportOf(name: (typeof SERVICE_NAMES)[number]): string {
  const { app, folder } = programsOf(name);
  const main = join(REPOSITORY_ROOT, 'apps', app, folder.replace('dist', 'src'), 'main.ts');
  return readFileSync(main, 'utf8').split('\n')[0] ?? '';
}

it('every process that follows all events lets its heap double before it is collected, and no other does', () => {
  expect(FOLLOWERS).not.toEqual([]);
  const late = SERVICE_NAMES.filter((name) => firstImportOf(name).includes('late-collection'));
  expect(late).toEqual(FOLLOWERS);
});
