import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, identify, type ProcessIdentity } from '../process/identity.js';

const PID_FILE = 'postmaster.pid';
/** Backends notice by themselves that their postmaster died; the others are killed after this time. */
const BACKEND_GRACE_MS = 2_000;
const POSTMASTER_GRACE_MS = 10_000;

/**
 * Makes a data folder startable after any crash: shuts down a postmaster that still runs there, kills
 * backends that outlived theirs (they hold the shared memory), and removes a pid file whose process id now
 * belongs to another process (Postgres would take that one for its predecessor).
 */
export async function clearLeftovers(dataDir: string): Promise<void> {
  const postmaster = recordedPostmaster(dataDir);
  const isOurs = postmaster !== null && worksIn(postmaster.pid, dataDir);
  if (isOurs) await endProcess(postmaster, { signal: 'SIGINT', graceMs: POSTMASTER_GRACE_MS });
  else rmSync(join(dataDir, PID_FILE), { force: true });
  await Promise.all(
    processesIn(dataDir).map((backend) =>
      endProcess(backend, { signal: 'SIGQUIT', graceMs: BACKEND_GRACE_MS }),
    ),
  );
}

function recordedPostmaster(dataDir: string): ProcessIdentity | null {
  try {
    return identify(Number.parseInt(readFileSync(join(dataDir, PID_FILE), 'utf8'), 10));
  } catch {
    return null;
  }
}

/**
 * All processes of a Postgres have its data folder as their working directory; on other systems only the
 * command shows it.
 */
function worksIn(pid: number, dataDir: string): boolean {
  if (process.platform !== 'linux') return isStartedOn(pid, dataDir);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDir);
  } catch {
    return false;
  }
}

/** Whether the command of a process names the data folder as that of a postmaster does. */
export function isStartedOn(pid: number, dataDir: string): boolean {
  try {
    const command = execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return `${command.trim()} `.includes(` -D ${dataDir} `);
  } catch {
    return false;
  }
}

function processesIn(dataDir: string): readonly ProcessIdentity[] {
  if (process.platform !== 'linux' || !existsSync(dataDir)) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && worksIn(Number(name), dataDir) && isPostgres(Number(name)))
    .map((name) => identify(Number(name)))
    .filter((identity) => identity !== null);
}

/** A shell whose working directory is the data folder must not be killed. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres';
  } catch {
    return false;
  }
}
