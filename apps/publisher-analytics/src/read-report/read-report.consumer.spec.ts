import { expect, it } from '@jest/globals';
import type { AskContext } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { ReadReportConsumer } from './read-report.consumer.js';
import type { ReadReportHandler } from './read-report.handler.js';

it('a report waits for its owner’s turn, however many reports another owner has asked for, of whichever sites', async () => {
  let running = 0;
  let most = 0;
  const handler = {
    handle: async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { ok: {} };
    },
  } as unknown as ReadReportHandler;
  const consumer = new ReadReportConsumer(handler, new ReadTurns(2, 1));
  const done: string[] = [];
  const ask = async (holder: string, siteId: string): Promise<void> => {
    const asked = { site_id: siteId, from: null, to: null, interval: 'day' } as const;
    await consumer.readReport(asked, { holder } as AskContext);
    done.push(holder);
  };
  await Promise.all([
    ...Array.from({ length: 20 }, (_, n) => ask('greedy', `site ${n}`)),
    ask('modest', 'site'),
  ]);
  expect(done.indexOf('modest')).toBeLessThan(3);
  expect(done).toHaveLength(21);
  expect(most).toBe(2);
});
