import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { openObjectStore } from '@truetally/object-store';
import type { Exchange } from '../http/exchange.js';
import { BodyBudget } from '../http/shares.js';
import { FORM_TYPE, fileForm } from '../testing/form.js';
import { MediaLinks } from './media-links.js';
import { MediaUploader } from './media-uploader.js';

const ENOUGH_BYTES = 2 ** 30;

function uploadTo(workspaceId: string): Exchange {
  const headers = { 'content-type': FORM_TYPE };
  const head = { headers, headersDistinct: {}, complete: true };
  const incoming = Object.assign(Readable.from([fileForm('picture')]), head);
  return { incoming, callerWithLimit: () => ({ workspaceId }) } as unknown as Exchange;
}

it('pictures wait for those of their owner, in whichever of its workspaces they are', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'truetally-uploads-'));
  const turns: string[] = [];
  let created = 0;
  const uploader = new MediaUploader({
    api: {
      createReceived: () => {
        created += 1;
        return Promise.resolve();
      },
    },
    store: await openObjectStore({ kind: 'disk', directory }),
    links: new MediaLinks('https://media.example'),
    budget: new BodyBudget(ENOUGH_BYTES, ENOUGH_BYTES),
    members: { holdersOf: ({ workspaceId }) => [workspaceId, ...(workspaceId === 'new' ? [] : ['owner'])] },
    queue: {
      run: (holder, task) => {
        turns.push(holder);
        return task();
      },
    },
  });
  for (const workspace of ['first', 'second', 'new']) await uploader.upload(uploadTo(workspace));
  rmSync(directory, { recursive: true });
  expect(turns).toEqual(['owner', 'owner', 'new']);
  expect(created).toBe(3);
});
