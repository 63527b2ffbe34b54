import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { eventually } from '../eventually.js';
import { makeOwnedFolder, postgresAccount, reachableFolder } from './account.js';
import { asSuperuser, copyBase } from './base-backup.js';
import { type LocalPostgres, type PostgresOptions, startPostgres } from './start-postgres.js';

/** A running synchronous replica of a local Postgres. */
export interface PostgresReplica extends LocalPostgres {
  /** Promotes it to primary; resolves when it accepts writes. */
  promote(): Promise<void>;
}

const PROMOTION_SECONDS = 60;

const run = promisify(execFile);

/**
 * Starts a synchronous replica of a running Postgres: from now on, commits are on both. The base backup is
 * made by hand (`copyBase`).
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
      asSuperuser(replica.url, async (client) => {
        await client.query(`select pg_promote(true, ${PROMOTION_SECONDS})`);
      }),
  });
}

async function copyData(client: pg.Client, from: string, to: string): Promise<void> {
  // Keeps the log of concurrent writes until the replica has requested it.
  await client.query(`alter system set wal_keep_size = '1GB'`);
  await client.query(`select pg_reload_conf()`);
  await copyBase(client, from, to);
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
