import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openFaultyLink } from '@truetally/testing';
import type pg from 'pg';
import {
  createPool,
  hasSqlState,
  inPipelinedTransaction,
  inTransaction,
  isReachable,
  isTransient,
  migrate,
  stepOnce,
} from './index.js';
import { ThingsDatabase } from './testing/things.js';

let database: ThingsDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
  ({ pool } = database);
});

afterAll(() => database.close());

describe('migrate', () => {
  it('a migration does nothing the second time, and waits for a twin that runs at once', async () => {
    expect(await migrate(database.migration)).toEqual([]);
    const { rows } = await database.owner.query(`select name from ${database.migration.schema}.migrations`);
    expect(rows).toEqual([{ name: 'CreateThings1700000000000' }]);
  });

  it('gives the service role only the granted privileges', async () => {
    await expect(pool.query('update things set id = 2')).rejects.toThrow(/permission denied/);
    await expect(pool.query('create table more (id int)')).rejects.toThrow(/permission denied/);
    await expect(pool.query('select * from migrations')).rejects.toThrow(/permission denied/);
  });
});

describe('a session', () => {
  it('a session is ended by Postgres within a minute when our host disappears, with its locks', async () => {
    const { rows } = await pool.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name like 'tcp_keepalives_%' order by name`,
    );
    const [count, idle, interval] = rows.map(({ setting }) => Number(setting));
    expect((idle ?? 0) + (count ?? 0) * (interval ?? 0)).toBe(30);
  });
});

describe('a Postgres that stops answering', () => {
  it('a Postgres that stops answering is not reachable, and does not keep who asks it for ever', async () => {
    const url = new URL(String(process.env['TEST_DATABASE_URL']));
    const link = await openFaultyLink(url.host);
    url.host = link.address;
    const through = createPool({
      url: url.toString(),
      schema: 'public',
      applicationName: 'silent',
      max: 1,
      statementTimeoutMs: 500,
    });
    expect(await isReachable(through)).toBe(true);
    let query: { readonly mock: { readonly calls: readonly unknown[][] } } | undefined;
    const stalled = inTransaction(through, async (client) => {
      query = jest.spyOn(client, 'query');
      link.stall();
      await client.query('select 1');
    });
    const error: unknown = await stalled.catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    // A rollback would be waited for as long again.
    expect(query?.mock.calls).toEqual([['select 1']]);
    expect(await isReachable(through)).toBe(false);
    await through.end();
    await link.close();
  });
});

describe('inPipelinedTransaction', () => {
  let pipelined: pg.Pool;

  beforeAll(() => {
    const url = pool.options.connectionString ?? '';
    const { schema } = database.migration;
    pipelined = createPool({ url, schema, applicationName: 'pipelined', max: 1, pipeline: true });
  });
  afterAll(() => pipelined.end());

  /** Three rows, and a division by zero at one place. */
  const transact = (failing: 'copy' | 'nothing' | 'opening' | 'reading' | 'sent') => {
    const statementOf = (place: typeof failing) => (place === failing ? 'select 1 / 0' : 'select 1');
    return inPipelinedTransaction(pipelined, statementOf('opening'), async (client, opened) => {
      const insert = (id: number) => client.query(`insert into things values (${id})`);
      // What comes behind is read first.
      await Promise.all([insert(80), client.query(statementOf('reading')), opened]);
      const sent = [client.query(statementOf('sent')), insert(81)];
      return {
        value: 'done',
        closing: 'copy things (id) from stdin',
        rows: failing === 'copy' ? 'x\n' : '82\n',
        sent,
      };
    });
  };
  const stored = async () => (await pool.query('select id from things where id between 80 and 82')).rows;

  it.each([
    ['opening', '22012'],
    ['reading', '22012'],
    ['sent', '22012'],
    ['copy', '22P02'],
  ] as const)(
    'statements that travel together leave nothing where the %s fails, and its error says why',
    async (place, sqlState) => {
      const error: unknown = await transact(place).catch((reason: unknown) => reason);
      expect(hasSqlState(error, sqlState)).toBe(true);
      expect(await stored()).toEqual([]);
    },
  );

  it('statements that travel together are committed together', async () => {
    expect(await transact('nothing')).toBe('done');
    expect(await stored()).toEqual([{ id: 80 }, { id: 81 }, { id: 82 }]);
    await database.owner.query(`delete from ${database.migration.schema}.things where id between 80 and 82`);
  });
});

describe('inTransaction', () => {
  it('commits on success and rolls back on errors', async () => {
    await inTransaction(pool, (client) => client.query('insert into things values (1)'));
    const failing = inTransaction(pool, async (client) => {
      await client.query('insert into things values (2)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await pool.query('select id from things')).rows).toEqual([{ id: 1 }]);
  });

  it('outlives a connection that Postgres ends, and calls the error transient', async () => {
    const ended = inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await database.owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await client.query('select pg_sleep(5)');
    });
    const error: unknown = await ended.catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it.each(['insert into things values (1)', "select '\\x00'::int"])(
    'inTransaction does not call a fault of the values transient: %s',
    async (sql) => {
      expect(isTransient(await pool.query(sql).catch((reason: unknown) => reason))).toBe(false);
    },
  );

  it.each(['select * from nowhere', 'create role another'])(
    'calls a database that is not as it should be transient: %s',
    async (sql) => {
      expect(isTransient(await pool.query(sql).catch((reason: unknown) => reason))).toBe(true);
    },
  );

  it('leaves a server that takes no writes any more, as one that has become a standby', async () => {
    const url = pool.options.connectionString ?? '';
    const { schema } = database.migration;
    const through = createPool({ url, schema, applicationName: 'moved', max: 1 });
    const write = () => inTransaction(through, (client) => client.query('insert into things values (70)'));
    await through.query('set default_transaction_read_only = on');
    const error: unknown = await write().catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    await write();
    await through.end();
  });

  it('calls an unreachable database transient', async () => {
    const away = createPool({
      url: 'postgres://u:p@127.0.0.1:1/d',
      schema: 'x',
      applicationName: 'test',
      max: 1,
    });
    const error: unknown = await away.query('select 1').catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    await away.end();
  });
});

describe('stepOnce', () => {
  const step = (name: string, cursor: string | null, report: { readonly cursor: string | null }) =>
    stepOnce(database.pool, { name, cursor }, () => Promise.resolve(report));

  it('returns the first report of a step for every repetition', async () => {
    expect(await step('job/a', 'a', { cursor: 'b' })).toEqual({ cursor: 'b' });
    expect(await step('job/a', 'a', { cursor: 'c' })).toEqual({ cursor: 'b' });
    expect(await step('job/b', 'b', { cursor: null })).toEqual({ cursor: null });
    expect(await step('job/b', 'b', { cursor: 'c' })).toEqual({ cursor: null });
    expect(await step('job/', null, { cursor: null })).toEqual({ cursor: null });
  });

  it('refuses a report that names the place that was asked for, and keeps nothing of the step', async () => {
    const stuck = stepOnce(database.pool, { name: 'job/stuck', cursor: 'stuck' }, async (client) => {
      await client.query('insert into things values (700)');
      return { cursor: 'stuck' };
    });
    await expect(stuck).rejects.toThrow('names the place that it was asked for');
    expect(await database.things()).not.toContain(700);
    expect(await step('job/stuck', 'stuck', { cursor: 'on' })).toEqual({ cursor: 'on' });
  });
});
