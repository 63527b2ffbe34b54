import { expect, it } from '@jest/globals';
import { failure } from '@truetally/kernel';
import type { ReportReads } from '../storage/report-reads.js';
import type { SiteScopes } from '../storage/site-scope.js';
import type { SiteDirectory } from '../sites/site-directory.js';
import { ReadReportHandler } from './read-report.handler.js';

it('a report waits for its site’s turn, however many reports another site has asked for, and takes no connection meanwhile', async () => {
  let running = 0;
  let most = 0;
  const reads = {
    atOnce: async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return failure('UNAVAILABLE', 'Nothing is read here.');
    },
  } as unknown as ReportReads;
  const handler = new ReadReportHandler(reads, {} as SiteScopes, {} as SiteDirectory);
  const done: string[] = [];
  const ask = async (siteId: string): Promise<void> => {
    await handler.handle({ site_id: siteId, from: null, to: null, interval: 'day' });
    done.push(siteId);
  };
  await Promise.all([...Array.from({ length: 20 }, () => ask('greedy')), ask('modest')]);
  // Its turn is never that of the greedy one.
  expect(done.indexOf('modest')).toBeLessThan(2);
  expect(done).toHaveLength(21);
  expect(most).toBe(2);
});
