import { expect, it } from '@jest/globals';
import type { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';
import { WorkflowReader } from './workflow-reader.js';

it('a date is the start of that day at the site, and never before the first instant that services can read', async () => {
  const asker = { find: () => Promise.resolve({ timezone: 'Asia/Tokyo' }) } as unknown as Asker;
  const exchange = { anyCaller: () => ({ workspaceId: 'w' }) } as unknown as Exchange;
  expect(await new WorkflowReader(asker).instantsOf(exchange, 's', ['2026-01-02', '0001-01-01'])).toEqual([
    '2026-01-01T15:00:00.000Z',
    '0001-01-01T00:00:00.000Z',
  ]);
});
