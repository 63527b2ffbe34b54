import { expect, it } from '@jest/globals';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { ResourceAnswers } from './resource-answers.js';
import type { ResourceDatabase } from './resource-database.js';

/** The places in which a process handles requests. */
const HANDLERS = 128;

it('an owner whose commands wait for a lock has no more than half of the places, and another owner’s begin', async () => {
  const begun: string[] = [];
  const { promise: free, resolve: unlock } = Promise.withResolvers<undefined>();
  const database = {
    connections: 8,
    command: async ({ workspace_id: owner }: ResourceCommand) => {
      begun.push(owner);
      if (owner === 'locked') await free;
      return { ok: { outcome: 'done' } };
    },
  };
  const answers = new ResourceAnswers(database as unknown as ResourceDatabase);
  const run = answers.command(() => Promise.reject(new Error('The database runs it.')));
  const send = (owner: string) => run({ workspace_id: owner } as ResourceCommand, { correlationId: 'id' });
  const answered: unknown[] = [];
  const all = Array.from({ length: HANDLERS }, () =>
    send('locked').then((reply) => answered.push('error' in reply ? reply.error.code : 'done')),
  );
  await send('other');
  expect(begun).toContain('other');
  expect(HANDLERS - answered.length).toBeLessThan(HANDLERS / 2);
  expect(new Set(answered)).toEqual(new Set(['UNAVAILABLE']));
  unlock(undefined);
  await Promise.all(all);
  expect(answered.filter((one) => one === 'done').length).toBeGreaterThan(0);
});
