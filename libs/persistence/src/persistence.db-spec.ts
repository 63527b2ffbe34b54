import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  appendToOutbox,
  commandOnce,
  createPool,
  INBOX_TABLE_SQL,
  inTransaction,
  isTransient,
  migrate,
  once,
  OUTBOX_TABLE_SQL,
  OutboxRelay,
  type OutgoingFact,
  SharedReader,
} from './index.js';

const OWNER_URL = process.env['TEST_DATABASE_URL'] ?? '';
const NAME = `persistence_${randomBytes(4).toString('hex')}`;
const PASSWORD = randomBytes(16).toString('hex');

class CreateThings1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table things (id int primary key)');
    await runner.query(OUTBOX_TABLE_SQL);
    await runner.query(INBOX_TABLE_SQL);
    await runner.query(
      `do $$ begin execute format('grant select, insert, delete on things, outbox, inbox to %I',
         current_setting('truetally.role')); end $$`,
    );
  }

  down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

const options = {
  url: OWNER_URL,
  schema: NAME,
  role: NAME,
  rolePassword: PASSWORD,
  migrations: [CreateThings1700000000000],
};
let pool: pg.Pool;
let pipelining: pg.Pool;
let owner: pg.Client;

beforeAll(async () => {
  await Promise.all([migrate(options), migrate(options)]);
  const url = new URL(OWNER_URL);
  url.username = NAME;
  url.password = PASSWORD;
  const connections = { url: url.toString(), schema: NAME, applicationName: 'test', max: 8 };
  pool = createPool(connections);
  pipelining = createPool({ ...connections, pipeline: true });
  owner = new pg.Client({ connectionString: OWNER_URL });
  await owner.connect();
});

afterAll(async () => {
  await Promise.all([pool.end(), pipelining.end()]);
  await owner.query(`drop schema ${NAME} cascade`);
  await owner.query(`drop role ${NAME}`);
  await owner.end();
});

describe('migrate', () => {
  it('does nothing the second time, and waits for a twin that runs at once', async () => {
    expect(await migrate(options)).toEqual([]);
    const { rows } = await owner.query(`select name from ${NAME}.migrations`);
    expect(rows).toEqual([{ name: 'CreateThings1700000000000' }]);
  });

  it('gives the service role what was granted and nothing else', async () => {
    await expect(pool.query('update things set id = 2')).rejects.toThrow(/permission denied/);
    await expect(pool.query('create table more (id int)')).rejects.toThrow(/permission denied/);
    await expect(pool.query('select * from migrations')).rejects.toThrow(/permission denied/);
  });
});

describe('inTransaction', () => {
  it('commits what succeeds and rolls back what throws', async () => {
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
      await owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await client.query('select pg_sleep(5)');
    });
    const error: unknown = await ended.catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it.each(['insert into things values (1)', 'select * from nowhere', "select '\\x00'::int"])(
    'does not call a mistake transient: %s',
    async (sql) => {
      expect(isTransient(await pool.query(sql).catch((reason: unknown) => reason))).toBe(false);
    },
  );

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

describe('the outbox', () => {
  const fact = (n: number): OutgoingFact => ({
    topic: 't',
    key: 'k',
    value: String(n),
    headers: { n: String(n) },
  });

  it('publishes in the order of commits, through any number of relays, and keeps what the broker did not take', async () => {
    const published: string[] = [];
    let refusals = 3;
    const publish = (facts: readonly OutgoingFact[]): Promise<void> => {
      if (refusals-- > 0) return Promise.reject(new Error('The broker is away.'));
      published.push(...facts.map((one) => one.value ?? 'null'));
      return Promise.resolve();
    };
    const errors: unknown[] = [];
    const relays = [1, 2].map(
      () => new OutboxRelay({ pool, publish, onError: (error) => errors.push(error), intervalMs: 20 }),
    );
    relays.forEach((relay) => relay.start());
    const count = 300;
    let next = 0;
    const writers = Array.from({ length: 5 }, async () => {
      while (next < count) {
        await inTransaction(pool, async (client) => {
          await client.query(`select pg_advisory_xact_lock(42)`);
          await appendToOutbox(client, [fact(next++)]);
        });
        relays[0]?.wake();
      }
    });
    await Promise.all(writers);
    const deadline = Date.now() + 20_000;
    while (published.length < next && Date.now() < deadline) await pool.query('select pg_sleep(0.02)');
    await Promise.all(relays.map((relay) => relay.stop()));
    expect(published).toEqual(Array.from({ length: next }, (_, n) => String(n)));
    expect((await pool.query('select count(*)::int as left from outbox')).rows).toEqual([{ left: 0 }]);
    expect(errors).toHaveLength(3);
  });

  it('keeps tombstones and headers, and forgets what was rolled back', async () => {
    const published: OutgoingFact[] = [];
    const publish = (facts: readonly OutgoingFact[]): Promise<void> => {
      published.push(...facts);
      return Promise.resolve();
    };
    await inTransaction(pool, (client) => appendToOutbox(client, [{ topic: 't', key: 'gone', value: null }]));
    const failed = inTransaction(pool, async (client) => {
      await appendToOutbox(client, [fact(1)]);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    const relay = new OutboxRelay({ pool, publish, onError: () => undefined });
    relay.start();
    await relay.stop();
    expect(published).toEqual([{ topic: 't', key: 'gone', value: null, headers: {} }]);
  });
});

describe('once', () => {
  it('does the work of one delivery, whatever number of deliveries runs at once', async () => {
    let runs = 0;
    const deliver = (): Promise<{ n: number }> =>
      inTransaction(pool, (client) => once(client, 'correlation-1', () => Promise.resolve({ n: ++runs })));
    const replies = await Promise.all(Array.from({ length: 8 }, deliver));
    expect(runs).toBe(1);
    expect(replies).toEqual(Array.from({ length: 8 }, () => ({ n: 1 })));
  });

  it('does the work again when the first delivery was rolled back', async () => {
    const failed = inTransaction(pool, (client) =>
      once(client, 'correlation-2', () => Promise.reject(new Error('no'))),
    );
    await expect(failed).rejects.toThrow('no');
    const reply = await inTransaction(pool, (client) =>
      once(client, 'correlation-2', () => Promise.resolve('done')),
    );
    expect(reply).toBe('done');
  });
});

describe('commandOnce', () => {
  const thing = (id: number) => (client: pg.ClientBase) =>
    client.query('insert into things values ($1)', [id]);
  const things = async (): Promise<unknown[]> =>
    (await pool.query<{ id: number }>('select id from things where id >= 100 order by id')).rows;

  it('writes what one delivery says, and answers all of them alike', async () => {
    let runs = 0;
    const deliver = () =>
      commandOnce(pipelining, 'command-1', async (client) => {
        await thing(100)(client);
        return { reply: { n: ++runs }, writes: [thing(101), thing(102)] };
      });
    expect(await Promise.all(Array.from({ length: 20 }, deliver))).toEqual(Array(20).fill({ n: 1 }));
    expect(await things()).toEqual([{ id: 100 }, { id: 101 }, { id: 102 }]);
  });

  it('leaves nothing when its work or any of its writes fails, and is done when it comes again', async () => {
    const failing = [
      () => commandOnce(pipelining, 'command-2', () => Promise.reject(new Error('no'))),
      () => deliver([thing(103), thing(100), thing(104)]),
      () => deliver([thing(103), thing(104), thing(100)]),
    ];
    const deliver = (writes: ReturnType<typeof thing>[]) =>
      commandOnce(pipelining, 'command-2', () => Promise.resolve({ reply: 'done', writes }));
    for (const fail of failing) await expect(fail()).rejects.toThrow(/^no$|duplicate key/);
    expect(await things()).toEqual([{ id: 100 }, { id: 101 }, { id: 102 }]);
    await expect(deliver([thing(103)])).resolves.toBe('done');
    expect(await things()).toHaveLength(4);
  });

  it('ends with the connection that it used, and the next one has another', async () => {
    const ended = commandOnce(pipelining, 'command-3', async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      return { reply: 'done', writes: [thing(105)] };
    });
    const error: unknown = await ended.catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    expect(await things()).toHaveLength(4);
    await expect(pipelining.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
  });
});

describe('a shared reader', () => {
  const readers: SharedReader[] = [];
  const open = (max: number): SharedReader => {
    const url = pool.options.connectionString ?? '';
    const reader = new SharedReader({ url, schema: NAME, applicationName: 'test', max });
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

  it('tells a mistake to who made it, and to nobody beside', async () => {
    const reader = open(1);
    const asked = [pidOf(reader), reader.query('select * from nowhere'), pidOf(reader)];
    const settled = await Promise.allSettled(asked);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('goes on over another connection when one ends', async () => {
    const reader = open(1);
    const slow = [reader.query('select pg_sleep(5)'), reader.query('select 1')];
    const sleeping = async (): Promise<number | undefined> => {
      const { rows } = await owner.query<{ pid: number }>(
        `select pid from pg_stat_activity where query = 'select pg_sleep(5)' and usename = $1`,
        [NAME],
      );
      return rows[0]?.pid;
    };
    let pid: number | undefined;
    while ((pid = await sleeping()) === undefined);
    await owner.query('select pg_terminate_backend($1)', [pid]);
    for (const { reason } of (await Promise.allSettled(slow)) as PromiseRejectedResult[]) {
      expect(isTransient(reason)).toBe(true);
    }
    expect(await pidOf(reader)).not.toBe(pid);
  });
});
