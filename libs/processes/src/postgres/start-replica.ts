import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from '../eventually.js';
import { makeOwnedFolder, postgresAccount, reachableFolder } from './account.js';
import { type LocalPostgres, type PostgresOptions, startPostgres } from './start-postgres.js';

/** A running synchronous replica of a local Postgres. */
export interface PostgresReplica extends LocalPostgres {
  /** Promotes it to primary; resolves when it accepts writes. */
  promote(): Promise<void>;
}

const PROMOTION_SECONDS = 60;
/** Files of the primary's process that are not copied. */
const NOT_COPIED = ['postmaster.pid', 'postmaster.opts'];

const run = promisify(execFile);

/**
 * Starts a synchronous replica of a running Postgres: from now on, commits are on both. The base backup is
 * made by hand, because the packaged Postgres has no `pg_basebackup`.
 */
export async function startReplica(
  primary: LocalPostgres,
  options: Pick<PostgresOptions, 'dataDir' | 'user' | 'password'>,
): Promise<PostgresReplica> {
  const account = postgresAccount();
  await mkdir(dirname(options.dataDir), { recursive: true });
  const folder = reachableFolder(options.dataDir, account);
  makeOwnedFolder(folder, account);
  await asSuperuser(primary.url, (client) => copyData(client, primary.dataDir, folder));
  const { hostname, port } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${options.user} password=${options.password}`;
  await writeFile(join(folder, 'standby.signal'), '');
  if (account !== null) await run('chown', ['-R', `${account.uid}:${account.gid}`, folder]);
  const settings = { primary_conninfo: `${source} application_name=replica`, hot_standby: 'on' };
  const replica = await startPostgres({ ...options, settings });
  await asSuperuser(primary.url, waitForReplica);
  return Object.assign(replica, {
    promote: () =>
      asSuperuser(replica.url, (client) => client.query(`select pg_promote(true, ${PROMOTION_SECONDS})`)),
  });
}

async function copyData(client: pg.Client, from: string, to: string): Promise<void> {
  // Keeps the log of concurrent writes until the replica has requested it.
  await client.query(`alter system set wal_keep_size = '1GB'`);
  await client.query(`select pg_reload_conf()`);
  await client.query(`select pg_backup_start('replica', true)`);
  await run('cp', ['-a', `${from}/.`, to]);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  for (const name of NOT_COPIED) await rm(join(to, name), { force: true });
}

/** From then on a commit is acknowledged when the replica has it on disk. */
async function waitForReplica(client: pg.Client): Promise<void> {
  await client.query(`alter system set synchronous_standby_names = '*'`);
  await client.query(`select pg_reload_conf()`);
  await eventually(
    async () => {
      const { rowCount } = await client.query(`select from pg_stat_replication where sync_state = 'sync'`);
      return rowCount === 1;
    },
    { message: 'the replica to follow' },
  );
}

async function asSuperuser(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
