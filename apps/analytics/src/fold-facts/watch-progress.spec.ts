import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Pool } from 'pg';
import { ProgressWatch } from './watch-progress.js';

const PLACE = { group: 'analytics.fold-facts', topic: 'events.stored.v1', end: 7, expired: 0 };
const LAGS = [
  { ...PLACE, partition: 0, lag: 0 },
  { ...PLACE, partition: 1, lag: 3 },
];

/** Of Postgres; the clock of this process is months ahead. */
const NOW = '2026-02-01T00:00:00.000Z';

function watching(lag: () => Promise<typeof LAGS>, withClickHouse = false) {
  const moved: unknown[] = [];
  const pool = {
    query: (asked: string | { values: [string] }) => {
      if (typeof asked === 'string') return Promise.resolve({ rows: [{ now: Date.parse(NOW) }] });
      moved.push(JSON.parse(asked.values[0]));
      return Promise.resolve();
    },
  };
  const log = { warn: jest.fn() };
  const watch = new ProgressWatch({ lag }, pool as unknown as Pool, log, withClickHouse);
  return { watch: watch.start(), moved, log };
}

afterEach(() => {
  jest.useRealTimers();
});

describe('how far facts are read', () => {
  it('a partition on which nothing waits is read up to the moment of the question, and another is not', async () => {
    const { watch, moved } = watching(() => Promise.resolve(LAGS), true);
    await watch.look();
    const read = { partition: 0, read_until: NOW };
    expect(moved).toEqual([
      [{ ...read, topic: 'events.stored.v1' }],
      [{ ...read, topic: 'clickhouse:events.stored.v1' }],
    ]);
    await watch.close();
  });

  it('Kafka is asked at the start and by a report, and by no other within three seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    let asked = 0;
    const { watch } = watching(() => Promise.resolve((asked += 1) > 0 ? LAGS : []));
    await Promise.all([watch.look(), watch.look()]);
    jest.advanceTimersByTime(2_999);
    await watch.look();
    expect(asked).toBe(1);
    jest.advanceTimersByTime(1);
    await watch.look();
    expect(asked).toBe(2);
    await watch.close();
  });

  it('a report is answered while Kafka cannot tell, and the next one asks again', async () => {
    let asked = 0;
    const { watch, log } = watching(() => Promise.reject(new Error(`away, ${(asked += 1)}`)));
    await watch.look();
    await watch.look();
    await watch.close();
    expect([asked, log.warn.mock.calls.length]).toEqual([2, 2]);
  });
});
