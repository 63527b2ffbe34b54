import { afterEach, expect, it, jest } from '@jest/globals';
import { PartitionUpkeep, type UpkeepOptions } from './partition-upkeep.js';

const DAY_SECONDS = 86_400;
const LOOK_MS = 30_000;
const AT_ONCE = 10_000;

afterEach(() => {
  jest.useRealTimers();
});

it('requests that expire faster than a tidying forgets are forgotten further by the next look, not by one in an hour', async () => {
  jest.useFakeTimers();
  let expired = 1_500_000;
  const query = (sql: string) => {
    if (!sql.includes('delete from handled_requests')) return Promise.resolve({ rows: [], rowCount: 0 });
    const rowCount = Math.min(expired, AT_ONCE);
    expired -= rowCount;
    return Promise.resolve({ rows: [], rowCount });
  };
  const nothing = () => Promise.resolve();
  const upkeep = new PartitionUpkeep({
    pool: { query },
    catalog: { refresh: nothing },
    filters: { readMade: nothing, makeMissing: nothing },
    partitionSeconds: DAY_SECONDS,
    retentionDays: 400,
    windowDays: 400,
    onError: (error: unknown) => {
      throw error;
    },
    onDropped: () => undefined,
    onEmptied: () => undefined,
  } as unknown as UpkeepOptions);
  upkeep.start();
  await jest.advanceTimersByTimeAsync(0);
  const left = [expired];
  await jest.advanceTimersByTimeAsync(LOOK_MS);
  left.push(expired);
  await upkeep.stop();
  expect(left).toEqual([500_000, 0]);
});
