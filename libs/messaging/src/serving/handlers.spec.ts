import { expect, it } from '@jest/globals';
import { type MessageHandler } from '@nestjs/microservices';
import { type IncomingRequest } from '../wire.js';
import { type AskContext, handleEach } from './handlers.js';

const UNSTAMPED: IncomingRequest = {
  topic: 'questions',
  partition: 0,
  offset: '0',
  key: '',
  value: '{}',
  weight: 1,
  correlationId: 'c',
  kind: 'query',
  deadlineMs: 9_000,
  isStamped: false,
  writtenMs: 0,
};
const BY_BROKER: IncomingRequest = { ...UNSTAMPED, isStamped: true, brokerDeadlineMs: 10_000 };

it('a handler gets the deadline by its own clock, also where that is ahead of the brokers’', async () => {
  const told: (number | undefined)[] = [];
  const answer = (_body: unknown, { deadlineMs }: AskContext) => {
    told.push(deadlineMs);
    return Promise.resolve({ ok: {} });
  };
  const handlers = new Map([['questions', answer as MessageHandler]]);
  await handleEach(handlers, { skewMs: () => 13_000 })([BY_BROKER, UNSTAMPED]);
  // A broker's clock was a minute ahead, and has been set back.
  await handleEach(handlers, { skewMs: () => -60_000 })([BY_BROKER]);
  expect(told).toEqual([23_000, 9_000, 9_000]);
});
