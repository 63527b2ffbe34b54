import { readFileSync } from 'node:fs';

/** What a lock file holds: a process, and when it began where the system tells. */
export function lockText(pid: number): string {
  return [String(pid), ...beginOf(pid)].join(' ');
}

/**
 * The process that still holds a lock. Of a killed one the id may be another's by now, because a restarted machine and a
 * restarted container give the same ids again: so its begin counts, too.
 */
export function holderOf(text: string): number | undefined {
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
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
