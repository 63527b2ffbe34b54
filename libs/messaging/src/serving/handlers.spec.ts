import { expect, it } from '@jest/globals';
import { type MessageHandler } from '@nestjs/microservices';
import { type IncomingRequest } from '../wire.js';
import { type AskContext, handleEach } from './handlers.js';

const BY_BROKER: IncomingRequest = {
  topic: 'questions',
  partition: 0,
  offset: '0',
  key: '',
  value: '{}',
  weight: 1,
  correlationId: 'c',
  kind: 'query',
  deadlineMs: 10_000,
  isStamped: true,
  writtenMs: 0,
};

it('a handler gets the deadline by its own clock, also where that is ahead of the brokers’', async () => {
  const told: (number | undefined)[] = [];
  const answer = (_body: unknown, { deadlineMs }: AskContext) => {
    told.push(deadlineMs);
    return Promise.resolve({ ok: {} });
  };
  const handle = handleEach(new Map([['questions', answer as MessageHandler]]), { skewMs: () => 13_000 });
  await handle([BY_BROKER, { ...BY_BROKER, isStamped: false }]);
  expect(told).toEqual([23_000, 10_000]);
});
