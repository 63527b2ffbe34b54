import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TransientError } from '@truetally/messaging';
import { createTestDatabase, eventually, type TestDatabase } from '@truetally/testing';
import pg from 'pg';
import { EffectError, inbox } from './index.js';

describe('an inbox', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let other: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase('inbox');
    other = new pg.Client({ connectionString: database.ownerUrl });
    await other.connect();
  });

  // As a worker's own code makes it: without a listener.
  beforeEach(() => {
    pool = new pg.Pool({ connectionString: database.ownerUrl });
  });

  afterAll(() => other.end());

  const end = async (client: pg.PoolClient): Promise<void> => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    await other.query('select pg_terminate_backend($1, 10000)', [rows[0]?.pid]);
  };

  it('workers that start at the same time share the table that one of them creates', async () => {
    await other.query('drop table if exists truetally_inbox');
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => inbox(pool).prepare?.()));
    await pool.end();
    expect(starts.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('an effect that goes on after a failed statement is not made, because Postgres keeps nothing of it', async () => {
    const once = inbox<pg.PoolClient>(pool);
    await once.prepare?.();
    await other.query('create table if not exists orders (id text primary key)');
    const made = once.make({ group: 'g', topic: 'orders', id: '1' }, async (client) => {
      await client.query("insert into orders values ('1')");
      await client.query("insert into orders values ('1')").catch(() => undefined);
    });
    await expect(made).rejects.toBeInstanceOf(EffectError);
    await expect(made).rejects.toMatchObject({ cause: { message: expect.stringContaining('savepoint') } });
    await pool.end();
  });

  it('a start rejects what lasts without a code of Postgres, and waits for a server that is away', async () => {
    const startOn = async (own: pg.Pool): Promise<unknown> => {
      const refused: unknown = await inbox(own)
        .prepare?.()
        .catch((error: unknown) => error);
      await own.end();
      return refused;
    };
    // The server of tests has no TLS.
    const lasting = await startOn(new pg.Pool({ connectionString: database.ownerUrl, ssl: true }));
    expect(lasting).toMatchObject({ message: expect.stringContaining('SSL') });
    expect(lasting).not.toBeInstanceOf(TransientError);
    const away = new URL(database.ownerUrl);
    away.port = '1';
    expect(await startOn(new pg.Pool({ connectionString: away.href }))).toBeInstanceOf(TransientError);
    pool.options.max = 1;
    const busy = await pool.connect();
    pool.options.connectionTimeoutMillis = 1;
    await expect(inbox(pool).prepare?.()).rejects.toBeInstanceOf(TransientError);
    busy.release();
    await pool.end();
  });

  it('an effect that ends its own connection has failed, also where it goes on', async () => {
    const once = inbox<pg.PoolClient>(pool);
    await once.prepare?.();
    const breaking = (after: (client: pg.PoolClient) => Promise<unknown>): Promise<string> =>
      once.make({ group: 'g', topic: 't', id: 'breaks' }, async (client) => {
        await end(client);
        await after(client);
      });
    pool.options.max = 1;
    for (const after of [(client: pg.PoolClient) => client.query('select 1'), () => Promise.resolve()])
      await expect(breaking(after)).rejects.toMatchObject({ name: 'EffectError', cause: expect.any(Error) });
    await pool.end();
  });

  it('an inbox outlives a connection that breaks, with an effect under way and idle', async () => {
    const once = inbox<pg.PoolClient>(pool);
    await once.prepare?.();
    const make = (id: string, effect: (client: pg.PoolClient) => Promise<void>): Promise<string> =>
      once.make({ group: 'g', topic: 't', id }, effect);
    let broken: pg.PoolClient | undefined;
    const { connectionString } = pool.options;
    const ended = make('1', async (client) => {
      broken = client;
      await end(client);
      pool.options.connectionString = 'postgres://127.0.0.1:1/away';
      await client.query('select 1');
    });
    // Postgres was at fault, and not the effect: no attempt is counted.
    await expect(ended).rejects.not.toBeInstanceOf(EffectError);
    pool.options.connectionString = connectionString;
    expect(await make('1', (client) => Promise.resolve(void (broken = client)))).toBe('made');
    if (broken !== undefined) await end(broken);
    await eventually(() => pool.totalCount === 0);
    expect(await make('1', () => Promise.resolve())).toBe('known');
    await pool.end();
  });
});
