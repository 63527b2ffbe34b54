import { expect, it } from '@jest/globals';
import { succeed } from '@truetally/kernel';
import type { AskRequest } from './kafka-ask-client.js';
import { OperationAsker } from './operation-asker.js';

it('a request’s id, which a client chooses, is never the key that chooses a partition, and its holder goes with it', async () => {
  const sent: AskRequest[] = [];
  const client = {
    ask: (request: AskRequest) => {
      sent.push(request);
      return Promise.resolve({ ok: {} });
    },
    tell: () => Promise.resolve(),
  };
  const operation = {
    address: 'analytics.queries/read-something',
    kind: 'query',
    askedBy: ['gateway'],
    key: (_message: object, newId: () => string) => newId(),
    encode: JSON.stringify,
    answerReader: () => succeed,
  } as const;
  const asker = new OperationAsker(client, 'gateway');
  for (let asked = 0; asked < 2; asked += 1)
    await asker.ask(operation, {}, { requestId: 'chosen-by-a-client', holder: 'owner' });
  expect(sent.map(({ requestId, holder }) => [requestId, holder])).toEqual([
    ['chosen-by-a-client', 'owner'],
    ['chosen-by-a-client', 'owner'],
  ]);
  const keys = new Set(sent.map(({ key }) => key));
  expect(keys.size).toBe(2);
  expect(keys).not.toContain('chosen-by-a-client');
});
