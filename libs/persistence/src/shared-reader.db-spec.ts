import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTransient, SharedReader } from './index.js';
import { ThingsDatabase } from './testing/things.js';

let database: ThingsDatabase;

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
});

afterAll(() => database.close());

describe('a shared reader', () => {
  const readers: SharedReader[] = [];
  const open = (max: number): SharedReader => {
    const url = database.pool.options.connectionString ?? '';
    const reader = new SharedReader({ url, schema: database.migration.schema, applicationName: 'test', max });
    readers.push(reader);
    return reader;
  };
  afterAll(() => Promise.all(readers.map((reader) => reader.close())));

  const pidOf = async (reader: SharedReader): Promise<number | undefined> =>
    (await reader.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

  it('gives each caller its own rows, over as many connections as it may use', async () => {
    const reader = open(2);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        reader.query<{ n: number; pid: number }>('select $1::int as n, pg_backend_pid() as pid', [n]),
      ),
    );
    const rows = answers.flatMap((answer) => answer.rows);
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(2);
  });

  it('reads by an index, also where a table is small or unknown', async () => {
    const plan = `explain select id from things where id > 5 order by id`;
    const lines = (await open(1).query<{ 'QUERY PLAN': string }>(plan)).rows.map((row) => row['QUERY PLAN']);
    expect(lines.join()).toMatch(/Index Only Scan using things_pkey/);
    expect(lines.join()).not.toMatch(/Sort/);
  });

  it('reports an error only to its own caller', async () => {
    const reader = open(1);
    const asked = [pidOf(reader), reader.query('select * from nowhere'), pidOf(reader)];
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('keeps the connection on which a statement took too long', async () => {
    const reader = open(1);
    const pid = await pidOf(reader);
    await reader.query('set statement_timeout = 500');
    const slow = reader.query('select pg_sleep(60)');
    // On the way behind the slow one, before it is ended.
    const others = [reader.query('set statement_timeout = 0'), reader.query('select pg_sleep(0.2)')];
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    expect(await pidOf(reader)).toBe(pid);
    await Promise.all(others);
  });

  it('goes on over another connection when one ends', async () => {
    const reader = open(1);
    const slow = [reader.query('select pg_sleep(5)'), reader.query('select 1')];
    const sleeping = async (): Promise<number | undefined> => {
      const { rows } = await database.owner.query<{ pid: number }>(
        `select pid from pg_stat_activity where query = 'select pg_sleep(5)' and usename = $1`,
        [database.migration.role],
      );
      return rows[0]?.pid;
    };
    let pid: number | undefined;
    while ((pid = await sleeping()) === undefined);
    await database.owner.query('select pg_terminate_backend($1)', [pid]);
    for (const { reason } of (await Promise.allSettled(slow)) as PromiseRejectedResult[]) {
      expect(isTransient(reason)).toBe(true);
    }
    expect(await pidOf(reader)).not.toBe(pid);
  });
});
