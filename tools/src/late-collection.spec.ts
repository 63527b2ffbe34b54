import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { programsOf, SERVICE_NAMES, SERVICES } from '@truetally/contracts/services';
import { REPOSITORY_ROOT } from '@truetally/testing';

/** They read megabytes at a time, which V8 would collect the whole heap for. */
const FOLLOWERS = SERVICES.filter(({ follows }) => follows.includes('eventsStored')).map(({ name }) => name);
/** Its pages of products are as large. */
const ANSWERS_WITH_PAGES = 'management';

function firstImportOf(name: (typeof SERVICE_NAMES)[number]): string {
  const { app, folder } = programsOf(name);
  const main = join(REPOSITORY_ROOT, 'apps', app, folder.replace('dist', 'src'), 'main.ts');
  return readFileSync(main, 'utf8').split('\n')[0] ?? '';
}

it('processes that follow all events or answer with pages of products let their heap double before it is collected', () => {
  expect(FOLLOWERS).not.toEqual([]);
  const late = SERVICE_NAMES.filter((name) => firstImportOf(name).includes('late-collection'));
  expect(late.toSorted()).toEqual([...FOLLOWERS, ANSWERS_WITH_PAGES].toSorted());
});
