import { execFileSync } from 'node:child_process';
import { eventually } from '../eventually.js';
import { statFields } from './process-table.js';

/** A process that cannot be mistaken for a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own unit; only used for comparison. */
  readonly startedAt: string;
}

const LONGEST_DEATH_MS = 60_000;
/** Places among `statFields`. */
const STAT_STATE = 0;
const STAT_THREADS = 17;
const STAT_START_TIME = 19;

/**
 * The identity of a living process, or null. A zombie does not count, unless its threads are still exiting:
 * until the last has ended, a killed Java keeps its ports.
 */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** Whether the process still runs; false when another process has got its id. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** Asks a process to end, kills it with SIGKILL after `graceMs`, and waits until it has ended. */
export async function endProcess(
  identity: ProcessIdentity,
  { signal = 'SIGTERM', graceMs = 5_000 }: { signal?: NodeJS.Signals; graceMs?: number } = {},
): Promise<void> {
  if (!isAlive(identity)) return;
  sendSignal(identity.pid, signal);
  const gone = (): boolean => !isAlive(identity);
  try {
    await eventually(gone, { timeoutMs: graceMs });
  } catch {
    sendSignal(identity.pid, 'SIGKILL');
    await eventually(gone, { timeoutMs: LONGEST_DEATH_MS, message: `process ${identity.pid} to end` });
  }
}

/** Sends a signal to a process, or to a group when the number is negative; false if it no longer exists. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

function startOnLinux(pid: number): string | null {
  const fields = statFields(pid);
  if (fields === undefined) return null;
  const isZombie = fields[STAT_STATE] === 'Z' || fields[STAT_STATE] === 'X';
  return isZombie && Number(fields[STAT_THREADS]) <= 1 ? null : (fields[STAT_START_TIME] ?? null);
}

function startByPs(pid: number): string | null {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return text === '' || text.startsWith('Z') ? null : text.replace(/^\S+\s+/, '');
  } catch {
    return null;
  }
}
