import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** For a moment a new lock is empty, and a takeover goes on; what lasts longer was left by a killed process. */
const MOMENT_MS = 10_000;
/** Of a process whose id cannot be told yet. */
const STARTING = 'that is starting';
/** Of one whose lock was there a moment ago: whoever makes the next one must find it as it was made. */
const ENDING = 'that is ending';

/**
 * Takes the lock at a path: of all processes that try at the same time one has it then.
 * @returns the process that has it instead
 */
export function takeLock(path: string): number | string | undefined {
  const make = (): void => writeFileSync(path, lockText(process.pid), { flag: 'wx', mode: 0o600 });
  if (isMade(make)) return undefined;
  const holder = holderAt(path);
  if (holder !== undefined) return holder;
  const takeover = `${path}.takeover`;
  if (isOlderThanAMoment(takeover)) rmSync(takeover, { recursive: true, force: true });
  if (!isMade(() => mkdirSync(takeover))) return STARTING;
  try {
    // Another one may have taken it over since.
    const living = holderAt(path);
    if (living !== undefined) return living;
    rmSync(path, { force: true });
    return isMade(make) ? undefined : STARTING;
  } finally {
    rmSync(takeover, { recursive: true, force: true });
  }
}

/** Another process that is alive and holds the lock that is, or just was, at a path. */
function holderAt(path: string): number | string | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    if (text === '') return isOlderThanAMoment(path) ? undefined : STARTING;
    const holder = holderOf(text);
    return holder === process.pid ? undefined : holder;
  } catch (error) {
    if (isOf(error, 'ENOENT')) return ENDING;
    throw error;
  }
}

/** @returns false where it exists already */
function isMade(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (isOf(error, 'EEXIST')) return false;
    throw error;
  }
}

function isOlderThanAMoment(path: string): boolean {
  const { mtimeMs = Infinity } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs < Date.now() - MOMENT_MS;
}

function isOf(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** What a lock file holds: a process, and when it began where the system tells. */
export function lockText(pid: number): string {
  return [String(pid), ...beginOf(pid)].join(' ');
}

/**
 * The process that still holds a lock. Of a killed one the id may be another's by now, because a restarted machine and a
 * restarted container give the same ids again: so its begin counts, too.
 */
function holderOf(text: string): number | undefined {
  const [id = '', ...begin] = text.split(' ');
  const pid = Number(id);
  if (!isAlive(pid)) return undefined;
  const known = beginOf(pid);
  const isAnother = begin.length > 0 && known.length > 0 && begin.join(' ') !== known.join(' ');
  return isAnother ? undefined : pid;
}

/** The field `starttime` of proc_pid_stat(5), in ticks since the boot, counted behind the name in parentheses. */
const START_TIME = 19;

function beginOf(pid: number): readonly string[] {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME];
    return ticks === undefined ? [] : [boot, ticks];
  } catch {
    // Not a Linux, or one that hides processes: the id alone counts.
    return [];
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isOf(error, 'EPERM');
  }
}
