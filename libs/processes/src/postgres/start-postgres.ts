import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from '../eventually.js';
import { freePort } from '../free-port.js';
import { ManagedProcess } from '../process/managed-process.js';
import { type LocalServer, serve } from '../process/server.js';
import {
  type Account,
  makeOwnedFolder,
  postgresAccount,
  reachableFolder,
  reachableInstallation,
  removeFolder,
  removeOrphanedFolders,
} from './account.js';
import { postgresInstallation } from './binaries.js';
import { keepNewData, keptNewData } from './kept-data.js';
import { clearLeftovers } from './leftovers.js';
import { serverSettings } from './settings.js';
import { installCertificate, onlyVerified, type ServerTls, TLS_FLAGS } from './server-tls.js';

/** Where a server keeps its data, where it listens, and its superuser. */
export interface PostgresOptions {
  /** Created if missing, and kept. */
  readonly dataDir: string;
  /** Default: a free one. */
  readonly port?: number;
  readonly user: string;
  readonly password: string;
  /** Default: beside the data folder, `<dataDir>.log`. */
  readonly logFile?: string;
  /** Of the server, on top of the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** With it, the server accepts only TLS, and its URL requires it. */
  readonly tls?: ServerTls;
}

/** A running Postgres on this machine. */
export interface LocalPostgres extends LocalServer {
  /** Of the superuser. */
  readonly url: string;
  readonly port: number;
  /** Where the data is: not the requested folder when Postgres' account cannot reach that. */
  readonly dataDir: string;
}

interface Place {
  readonly bin: string;
  readonly dataDir: string;
  readonly version: string;
  readonly account: Account | null;
}

const START_TIMEOUT_MS = 120_000;
const CONNECT_TIMEOUT_MS = 2_000;
const INITDB_TIMEOUT_MS = 120_000;
const UNFINISHED = '.new-';
const WRONG_PASSWORD = '28P01';
/** A fast shutdown: sessions are ended, data is flushed. */
const STOP_SIGNAL = 'SIGINT';

const run = promisify(execFile);

/** Starts a real Postgres on loopback, also as root. Resolves when it accepts connections. */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const port = options.port ?? (await freePort());
  await removeOrphanedFolders();
  await mkdir(dirname(options.dataDir), { recursive: true });
  const place = locate(options.dataDir);
  await removeUnfinished(place.dataDir);
  const plainUrl = `postgres://${options.user}:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres`;
  const url = options.tls === undefined ? plainUrl : onlyVerified(plainUrl, options.tls);
  if (!existsSync(join(place.dataDir, 'PG_VERSION'))) await initialise(place, options);
  if (options.tls !== undefined) await installCertificate(place.dataDir, options.tls, place.account);
  const tlsFlags = options.tls === undefined ? [] : TLS_FLAGS;
  const flags = [...serverSettings(port, await bestWalCompression(place), options.settings), ...tlsFlags];
  const logFile = options.logFile ?? `${options.dataDir}.log`;
  const server = await serve(() => launch(place, flags, plainUrl, logFile), STOP_SIGNAL);
  return Object.assign(server, { url, port, dataDir: place.dataDir });
}

/** Removes the data of a stopped Postgres, wherever it is. */
export async function removePostgresData(dataDir: string): Promise<void> {
  removeFolder(dataDir, postgresAccount());
  await removeOrphanedFolders();
}

function locate(dataDir: string): Place {
  const account = postgresAccount();
  const { folder, version } = postgresInstallation();
  const bin = join(reachableInstallation(folder, version, account), 'bin');
  return { bin, dataDir: reachableFolder(dataDir, account), version, account };
}

/**
 * Created beside its place and moved there when complete, so that an interrupted initdb is not mistaken for data. In a new folder,
 * because the initdb of a killed start may still be writing to the former one.
 */
async function initialise(place: Place, options: PostgresOptions): Promise<void> {
  const { dataDir, account } = place;
  const unfinished = await mkdtemp(`${dataDir}${UNFINISHED}`);
  makeOwnedFolder(unfinished, account);
  try {
    const kept = keptNewData(options);
    if (kept !== undefined && existsSync(kept)) await run('cp', ['-a', `${kept}/.`, unfinished]);
    else await initdb(place, options, unfinished);
    if (kept !== undefined) await keepNewData(unfinished, kept);
    await rename(unfinished, dataDir);
  } finally {
    await removeUnfinished(dataDir);
  }
}

async function initdb(
  { bin, dataDir, account }: Place,
  options: PostgresOptions,
  folder: string,
): Promise<void> {
  // Beside the data, where the account can read it; a temporary folder may be closed to it.
  const passwordFile = `${dataDir}.password`;
  try {
    await writeFile(passwordFile, options.password, { mode: 0o600 });
    if (account !== null) await chown(passwordFile, account.uid, account.gid);
    await run(
      join(bin, 'initdb'),
      [
        `--pgdata=${folder}`,
        `--username=${options.user}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--locale=C.UTF-8',
        '--data-checksums',
      ],
      { ...account, env: environment(), cwd: '/', timeout: INITDB_TIMEOUT_MS },
    );
  } catch (error) {
    throw new Error(`initdb failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * What cannot be removed now, because the initdb of a killed start still writes, is left to the next start.
 */
async function removeUnfinished(dataDir: string): Promise<void> {
  const folder = dirname(dataDir);
  const names = (await readdir(folder)).filter((name) => name.startsWith(basename(dataDir) + UNFINISHED));
  const removals = names.map((name) => rm(join(folder, name), { recursive: true, force: true }));
  await Promise.allSettled(removals);
}

/** LZ4 costs little and shortens the log, if the build supports it. */
async function bestWalCompression({ bin, dataDir, account }: Place): Promise<string> {
  const args = ['-D', dataDir, '-c', 'wal_compression=lz4', '-C', 'wal_compression'];
  try {
    await run(join(bin, 'postgres'), args, { ...account, env: environment(), cwd: '/' });
    return 'lz4';
  } catch {
    return 'off';
  }
}

async function launch(
  place: Place,
  flags: readonly string[],
  url: string,
  logFile: string,
): Promise<ManagedProcess> {
  checkVersion(place);
  await clearLeftovers(place.dataDir);
  const postgres = await ManagedProcess.start({
    name: 'Postgres',
    command: join(place.bin, 'postgres'),
    args: ['-D', place.dataDir, ...flags],
    env: environment(),
    cwd: '/',
    logFile,
    ...place.account,
  });
  try {
    const isSecured = flags.includes(TLS_FLAGS[1]);
    const state = await eventually(() => (postgres.isRunning ? probe(url, isSecured) : 'ended'), {
      timeoutMs: START_TIMEOUT_MS,
    });
    if (state === 'ended') throw new Error(`Postgres ${postgres.describeExit()} at start`);
    if (state === 'denied') throw new Error('The password is not the one that its data was made with');
  } catch (error) {
    await postgres.stop('SIGQUIT');
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Postgres does not serve: ${reason}\n${postgres.tail()}`, { cause: error });
  }
  return postgres;
}

/** Null while it starts. */
async function probe(url: string, isSecured: boolean): Promise<'ready' | 'denied' | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Only tests whether the server answers; its certificate is not verified.
    ssl: isSecured ? { rejectUnauthorized: false } : false,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return 'ready';
  } catch (error) {
    return error instanceof pg.DatabaseError && error.code === WRONG_PASSWORD ? 'denied' : null;
  } finally {
    await client.end();
  }
}

/** Data of another major version cannot be read; Postgres reports it only in its log. */
function checkVersion({ dataDir, version }: Place): void {
  const found = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  const expected = version.split('.')[0];
  if (found !== expected) {
    throw new Error(
      `The data in ${dataDir} is of Postgres ${found}, and this is Postgres ${expected}: remove it`,
    );
  }
}

/** Only what a server needs: the caller's PGDATA or LC_ALL must not reach it. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}
