import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createPool } from '@truetally/persistence';
import { openFaultyLink, untilHourLasts } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import { LimitStore } from '../storage/limit.store.js';
import { HourlyLimiter } from './hourly-limiter.js';
import { openLimitDatabase } from '../testing/limit-database.js';

describe('hourly limits without Postgres', () => {
  let database: ServiceDatabase;
  let role: string;

  beforeAll(async () => {
    database = await openLimitDatabase();
    role = new URL(database.url).username;
  });

  afterAll(() => database.close());

  beforeEach(() => untilHourLasts());

  it('the hourly limiter is unavailable while Postgres is down, and continues when it is back', async () => {
    const limit = { subject: `key:${randomUUID()}`, perHour: 5 };
    const pool = database.openPool(1);
    const failures: unknown[] = [];
    const gateway = new HourlyLimiter({
      counters: new LimitStore(pool),
      areEventsBeside: true,
      monotonicMs: () => performance.now(),
      onError: (error) => failures.push(error),
    });
    await gateway.consume(limit, 1);
    await database.owner.query(`alter role ${role} nologin`);
    await database.owner.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
      role,
    ]);
    expect((await gateway.consume(limit, 1)).kind).toBe('unavailable');
    await database.owner.query(`alter role ${role} login`);
    expect(await gateway.consume(limit, 1)).toMatchObject({ kind: 'admitted', allowance: { remaining: 3 } });
    expect(failures).toHaveLength(1);
  });

  it('the hourly limiter is unavailable when Postgres hangs, instead of hanging with it', async () => {
    const url = new URL(database.url);
    const link = await openFaultyLink(url.host);
    url.host = link.address;
    const pool = createPool({ url: url.href, schema: database.schema, applicationName: 'test', max: 1 });
    const failures: unknown[] = [];
    const gateway = new HourlyLimiter({
      counters: new LimitStore(pool),
      areEventsBeside: true,
      monotonicMs: () => performance.now(),
      onError: (error) => failures.push(error),
    });
    const limit = { subject: `key:${randomUUID()}`, perHour: 5 };
    expect((await gateway.consume(limit, 1)).kind).toBe('admitted');
    link.stall();
    expect((await gateway.consume(limit, 1)).kind).toBe('unavailable');
    link.resume();
    expect((await gateway.consume(limit, 1)).kind).toBe('admitted');
    expect(failures).toHaveLength(1);
    await pool.end();
    await link.close();
  });
});
