import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from '../eventually.js';
import { makeOwnedFolder, postgresAccount, reachableFolder } from './account.js';
import { type LocalPostgres, type PostgresOptions, startPostgres } from './start-postgres.js';

/** A copy of a running Postgres' data, and where its log is archived. */
export interface BaseBackup {
  readonly folder: string;
  readonly archive: string;
}

export interface RestoreOptions extends Pick<PostgresOptions, 'dataDir' | 'user' | 'password'> {
  /** The last instant whose commits are there again: ISO 8601, UTC, to the microsecond. */
  readonly to: string;
}

/** Files of the primary's process that are not copied. */
const NOT_COPIED = ['postmaster.pid', 'postmaster.opts'];
/** Files of a running server may vanish while they are copied; the log says what became of them. */
const VANISHED = /: No such file or directory$/;
const LOG_FOLDER = 'pg_wal';
const REPLAYED = { timeoutMs: 300_000, message: 'the log to be replayed' };
const ARCHIVED = { timeoutMs: 120_000, message: 'the last part of the log to be archived' };

const run = promisify(execFile);

/**
 * Settings of a server that archives its log, in a folder that is made for it. Nothing is overwritten there: a server that finds a
 * part of another history must not archive.
 */
export function archiveSettings(archive: string): Readonly<Record<string, string>> {
  makeOwnedFolder(archive, postgresAccount());
  return {
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`,
  };
}

/** Copies a running Postgres that archives its log, as `pg_basebackup` does, which the packaged one lacks. */
export async function takeBaseBackup(
  primary: LocalPostgres,
  { folder, archive }: BaseBackup,
): Promise<BaseBackup> {
  const reachable = reachableFolder(folder, postgresAccount());
  makeOwnedFolder(reachable, postgresAccount());
  await asSuperuser(primary.url, (client) => copyBase(client, primary.dataDir, reachable));
  return { folder: reachable, archive };
}

/** Copies the data of a running Postgres between the two statements that make the copy a backup. */
export async function copyBase(client: pg.Client, from: string, to: string): Promise<void> {
  await client.query(`select pg_backup_start('copy', true)`);
  await run('cp', ['-a', `${from}/.`, to]).catch((error: unknown) => {
    const lines = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n') : [];
    if (lines.length === 0 || !lines.every((line) => VANISHED.test(line))) throw error;
  });
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(true)');
  await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  for (const name of NOT_COPIED) await rm(join(to, name), { force: true });
}

/** Resolves when everything that has been committed by now is in the archive. */
export function archiveAll(primary: LocalPostgres): Promise<void> {
  return asSuperuser(primary.url, async (client) => {
    const { rows } = await client.query<{ part: string }>(
      'select pg_walfile_name(pg_current_wal_lsn()) as part, pg_switch_wal()',
    );
    const part = rows[0]?.part ?? '';
    await eventually(async () => {
      const found = await client.query('select from pg_stat_archiver where last_archived_wal >= $1', [part]);
      return found.rowCount === 1;
    }, ARCHIVED);
  });
}

/** Starts a server of the copy, replays the archived log to the instant, and serves from there on a timeline of its own. */
export async function restoreToInstant(
  { folder, archive }: BaseBackup,
  { to, ...options }: RestoreOptions,
): Promise<LocalPostgres> {
  const account = postgresAccount();
  await mkdir(dirname(options.dataDir), { recursive: true });
  const place = reachableFolder(options.dataDir, account);
  makeOwnedFolder(place, account);
  await run('cp', ['-a', `${folder}/.`, place]);
  // The archive has all of it, and the copy's own parts may be torn.
  await emptyLog(join(place, LOG_FOLDER));
  await writeFile(join(place, 'recovery.signal'), '');
  if (account !== null) await run('chown', ['-R', `${account.uid}:${account.gid}`, place]);
  const settings = {
    restore_command: `cp ${archive}/%f %p`,
    // The server knows no other form of time zones yet.
    recovery_target_time: to.replace('T', ' ').replace('Z', '+00'),
    recovery_target_action: 'promote',
  };
  const restored = await startPostgres({ ...options, settings });
  await asSuperuser(restored.url, (client) =>
    eventually(async () => {
      const { rows } = await client.query<{ replays: boolean }>('select pg_is_in_recovery() as replays');
      return rows[0]?.replays === false;
    }, REPLAYED),
  );
  return restored;
}

export async function asSuperuser<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function emptyLog(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
