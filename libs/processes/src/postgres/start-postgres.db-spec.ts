import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../eventually.js';
import { ManagedProcess } from '../process/managed-process.js';
import { NODE_BINARY, REPOSITORY_ROOT } from '../repository.js';
import { NEW_DATA_VARIABLE } from './kept-data.js';
import { type LocalPostgres, removePostgresData, startPostgres } from './start-postgres.js';

const LOGIN = { user: 'owner', password: 'p@ss:word/1' };
/** For a separate process, which can be killed. */
const START = `import { startPostgres } from '@truetally/processes';
await startPostgres(JSON.parse(process.argv[1]));`;

describe('startPostgres', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-postgres-'));
  const dataDir = join(folder, 'data');
  let postgres: LocalPostgres;

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    // Each data folder here is made by initdb.
    Reflect.deleteProperty(process.env, NEW_DATA_VARIABLE);
    postgres = await startPostgres({ dataDir, ...LOGIN });
    await query('create table kept (id integer primary key)');
  });

  afterAll(async () => {
    await postgres.stop();
    await removePostgresData(dataDir);
    rmSync(folder, { recursive: true, force: true });
  });

  async function query<R extends pg.QueryResultRow>(text: string): Promise<R[]> {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    try {
      return (await client.query<R>(text)).rows;
    } finally {
      await client.end();
    }
  }

  it('waits for the disk at each commit and listens on loopback only', async () => {
    await expect(
      query(
        `select name, setting from pg_settings
          where name in ('fsync', 'synchronous_commit', 'listen_addresses', 'full_page_writes') order by name`,
      ),
    ).resolves.toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'listen_addresses', setting: '127.0.0.1' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
  });

  it('a Postgres that is killed while a backend is busy serves again with every committed row', async () => {
    await query('insert into kept values (1)');
    const busy = new pg.Client({ connectionString: postgres.url });
    const ended = new Promise((resolve) => busy.once('error', resolve));
    await busy.connect();
    const running = busy.query('select count(*) from generate_series(1, 1000000000)').catch(() => 'ended');
    await eventually(() =>
      query(
        "select 1 from pg_stat_activity where query like '%generate_series(1, 1%' and pid <> pg_backend_pid()",
      ).then((rows) => rows.length > 0),
    );
    await postgres.kill('SIGKILL');
    await postgres.restart();
    await expect(query('select id from kept order by id')).resolves.toEqual([{ id: 1 }]);
    await expect(running).resolves.toBe('ended');
    await ended;
  });

  it('starts although the pid file names a process id that another process has got since', async () => {
    await postgres.kill('SIGKILL');
    writeFileSync(join(postgres.dataDir, 'postmaster.pid'), `${process.pid}\n${postgres.dataDir}\n`);
    await postgres.restart();
    await expect(query('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  });

  it('replaces a running server on the same data, which a killed process left behind', async () => {
    const port = postgres.port;
    const second = await startPostgres({ dataDir, port, ...LOGIN });
    await postgres.exited;
    postgres = second;
    await expect(query('select count(*)::int as count from kept')).resolves.toEqual([{ count: 1 }]);
  });

  it('reports that the password does not match the data', async () => {
    await postgres.stop();
    await expect(startPostgres({ dataDir, user: LOGIN.user, password: 'other' })).rejects.toThrow(
      'The password is not the one that its data was made with',
    );
    await postgres.restart();
  });

  it('starts again after a killed start whose initdb continues', async () => {
    const interrupted = join(folder, 'interrupted');
    const unfinished = (): string[] =>
      readdirSync(folder).filter((name) => name.startsWith('interrupted.new-'));
    const killed = await ManagedProcess.start({
      name: 'a start',
      command: NODE_BINARY,
      args: ['--input-type=module', '-e', START, JSON.stringify({ dataDir: interrupted, ...LOGIN })],
      env: process.env,
      cwd: REPOSITORY_ROOT,
    });
    await eventually(() => unfinished().some((name) => existsSync(join(folder, name, 'PG_VERSION'))));
    await killed.stop('SIGKILL');
    const other = await startPostgres({ dataDir: interrupted, ...LOGIN });
    await other.restart();
    await other.stop();
    expect(existsSync(join(other.dataDir, 'global'))).toBe(true);
    await removePostgresData(interrupted);
  });

  it('removes the files of an interrupted initdb', async () => {
    await postgres.stop();
    mkdirSync(`${dataDir}.new-left`);
    writeFileSync(join(`${dataDir}.new-left`, 'PG_VERSION'), '18\n');
    postgres = await startPostgres({ dataDir, ...LOGIN });
    expect(existsSync(`${dataDir}.new-left`)).toBe(false);
  });

  it('keeps its data in a folder that is closed to others, or in its substitute', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const other = await startPostgres({ dataDir: join(closed, 'data'), ...LOGIN });
    expect(existsSync(join(other.dataDir, 'PG_VERSION'))).toBe(true);
    await other.stop();
    await removePostgresData(join(closed, 'data'));
    expect(existsSync(other.dataDir)).toBe(false);
  });
});
