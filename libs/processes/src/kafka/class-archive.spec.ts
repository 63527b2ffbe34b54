import { basename } from 'node:path';
import { expect, it } from '@jest/globals';
import { archiveFile } from './class-archive.js';

it('libraries at another place, as in a copied checkout, have another archive', async () => {
  const [one = '', same, copied] = await Promise.all(
    ['/one/kafka', '/one/kafka', '/two/kafka'].map(archiveFile),
  );
  expect(one).toMatch(/^\/one\/kafka-[0-9a-f]{12}\.jsa$/);
  expect(same).toBe(one);
  expect(basename(copied ?? '')).not.toBe(basename(one));
});
