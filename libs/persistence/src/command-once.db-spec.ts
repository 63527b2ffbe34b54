import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REPLAY_AGE_LIMIT_DAYS } from '@truetally/kernel';
import type pg from 'pg';
import { PipelinedBegin, runBehind } from './pipelined-begin.js';
import { commandOnce, forgetOldReplies, isTransient } from './index.js';
import { ThingsDatabase } from './testing/things.js';

let database: ThingsDatabase;

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
});

afterAll(() => database.close());

describe('commandOnce', () => {
  const thing = (id: number) => (client: pg.ClientBase) =>
    client.query('insert into things values ($1)', [id]);

  it('writes the changes of one delivery, and answers all of them alike', async () => {
    let runs = 0;
    const deliver = () =>
      commandOnce(database.pipelining, 'command-1', async (client) => {
        await thing(100)(client);
        return { reply: { n: ++runs }, writes: [thing(101), thing(102)] };
      });
    expect(await Promise.all(Array.from({ length: 20 }, deliver))).toEqual(Array(20).fill({ n: 1 }));
    expect(await database.things()).toEqual([100, 101, 102]);
  });

  it('leaves nothing when its work or any of its writes fails, and is done when it comes again', async () => {
    const failing = [
      () => commandOnce(database.pipelining, 'command-2', () => Promise.reject(new Error('no'))),
      () => deliver([thing(103), thing(100), thing(104)]),
      () => deliver([thing(103), thing(104), thing(100)]),
    ];
    const deliver = (writes: ReturnType<typeof thing>[]) =>
      commandOnce(database.pipelining, 'command-2', () => Promise.resolve({ reply: 'done', writes }));
    for (const fail of failing) await expect(fail()).rejects.toThrow(/^no$|duplicate key/);
    expect(await database.things()).toEqual([100, 101, 102]);
    await expect(deliver([thing(103)])).resolves.toBe('done');
    expect(await database.things()).toHaveLength(4);
  });

  it('answers a redelivery as before, whatever its work would do by then', async () => {
    const deliver = (work: () => Promise<unknown>) =>
      commandOnce(database.pipelining, 'command-4', async (client) => {
        await thing(106)(client);
        await work();
        return { reply: 'done', writes: [] };
      });
    await expect(deliver(() => Promise.resolve())).resolves.toBe('done');
    await database.pool.query('delete from things where id = 106');
    await expect(deliver(() => Promise.resolve())).resolves.toBe('done');
    await expect(deliver(() => Promise.reject(new Error('no')))).resolves.toBe('done');
    expect(await database.things()).toHaveLength(4);
  });

  it('answers as before for longer than its dead letter can be replayed, and forgets the reply then', async () => {
    const answered = async (id: string, ageDays: number): Promise<string> => {
      await database.pool.query(
        `insert into inbox (correlation_id, reply, received_at)
         values ($1, '"before"', now() - make_interval(days => $2))`,
        [id, ageDays],
      );
      await forgetOldReplies(database.pool);
      return commandOnce(database.pipelining, id, () => Promise.resolve({ reply: 'anew', writes: [] }));
    };
    expect(await answered('command-6', REPLAY_AGE_LIMIT_DAYS + 1)).toBe('before');
    expect(await answered('command-7', 2 * REPLAY_AGE_LIMIT_DAYS)).toBe('anew');
  });

  it('keeps the reply to a command that asks nothing', async () => {
    let runs = 0;
    const deliver = () =>
      commandOnce(database.pipelining, 'command-5', () => Promise.resolve({ reply: ++runs, writes: [] }));
    expect([await deliver(), await deliver(), runs]).toEqual([1, 1, 2]);
  });

  it('ends with the connection that it used, and the next one has another', async () => {
    const ended = commandOnce(database.pipelining, 'command-3', async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await database.owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      return { reply: 'done', writes: [thing(105)] };
    });
    const error: unknown = await ended.catch((reason: unknown) => reason);
    expect(isTransient(error)).toBe(true);
    expect(await database.things()).toHaveLength(4);
    await expect(database.pipelining.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
  });

  it('commandOnce carries out a command once on connections that do not pipeline, too', async () => {
    const deliver = () =>
      commandOnce(database.pool, 'command-plain', async (client) => {
        await thing(120)(client);
        return { reply: 'done', writes: [thing(121)] };
      });
    expect(await Promise.all(Array.from({ length: 8 }, deliver))).toEqual(Array(8).fill('done'));
    const failing = commandOnce(database.pool, 'command-refused', async (client) => {
      await thing(122)(client);
      return { reply: 'done', writes: [thing(123), thing(120), thing(124)] };
    });
    await expect(failing).rejects.toThrow('duplicate key');
    expect((await database.things()).filter((id) => id >= 120)).toEqual([120, 121]);
  });
});

describe('a statement behind an opening', () => {
  const insert = (id: number) => ({ text: 'insert into things values ($1) returning id', values: [id] });

  it('a statement behind an opening is done with it, named or not, and gives its own rows', async () => {
    const client = await database.pipelining.connect();
    const statements = [insert(200), { ...insert(201), name: 'thing' }, { ...insert(202), name: 'thing' }];
    for (const statement of statements) {
      expect((await runBehind(client, 'begin', statement)).rows).toEqual([{ id: statement.values[0] }]);
      await client.query(statement.values[0] === 201 ? 'rollback' : 'commit');
    }
    expect((await runBehind(client, 'begin', { text: 'select 7 as n' })).rows).toEqual([{ n: 7 }]);
    await client.query('commit');
    client.release();
    expect((await database.things()).filter((id) => id >= 200)).toEqual([200, 202]);
  });

  it('a statement is not done when its opening fails, and the connection is not used again', async () => {
    const client = await database.pipelining.connect();
    const failed = runBehind(client, 'select 1 / 0', insert(203));
    const behind = client.query('insert into things values (204)');
    await expect(failed).rejects.toThrow('division by zero');
    await Promise.allSettled([behind]);
    await expect(client.query('select 1')).rejects.toThrow(/not queryable|closed|ended/);
    client.release(true);
    expect(await database.things()).not.toContain(203);
  });

  it('makes a concurrent statement wait for both', async () => {
    const client = await database.pipelining.connect();
    const begin = new PipelinedBegin(client);
    const asked = [begin.client.query('select 1 / 0'), begin.client.query('insert into things values (205)')];
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    client.release(true);
    expect(await database.things()).not.toContain(205);
  });
});
