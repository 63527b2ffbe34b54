import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPool } from '@truetally/persistence';
import { Metrics } from '@truetally/platform';
import type { Pool } from 'pg';
import { observePool } from './observe-database.js';

const CONNECTIONS = 2;

let pool: Pool;
let metrics: Metrics;

beforeAll(() => {
  const url = process.env['TEST_DATABASE_URL'] ?? '';
  pool = createPool({ url, schema: 'public', applicationName: 'observed', max: CONNECTIONS });
  metrics = new Metrics('management');
  // As a process's health does, whose metric is read before those of the pool.
  metrics.observedAll('dependency_up', 'Whether it answers.', ['dependency'], async () => {
    await pool.query('select 1');
    return [[{ dependency: 'postgres' }, 1]];
  });
  observePool(metrics, pool);
});

afterAll(() => pool.end());

async function waiting(): Promise<number> {
  const line = /^truetally_database_waiting\{.*\} (\d+)$/m.exec(await metrics.text());
  return Number(line?.[1]);
}

describe('the metrics of a pool', () => {
  it('a scrape that asks Postgres something, for which a connection is idle, is no caller that waits', async () => {
    await pool.query('select 1');
    expect(pool.idleCount).toBeGreaterThan(0);
    expect(await waiting()).toBe(0);
  });

  it('callers for whom there is no connection are counted as waiting', async () => {
    const held = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
    const callers = Array.from({ length: 3 }, () => pool.query('select 1'));
    const counted = waiting();
    for (const client of held) client.release();
    await Promise.all(callers);
    // With the scrape's own, which finds no idle one either.
    expect(await counted).toBe(4);
  });
});
