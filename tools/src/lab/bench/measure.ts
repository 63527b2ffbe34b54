import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { statFields, treeOf } from '@truetally/processes';
import type { LoadJob, LoadResult } from './load-job.js';

const run = promisify(execFile);
const MAX_LOAD_MS = 300_000;
const SAMPLE_INTERVAL_MS = 500;
const BYTES_PER_KIB = 1_024;
export const MIB = 1_048_576;
/** Linux reports times of processes in hundredths of a second (`USER_HZ`). */
const MS_PER_TICK = 10;
/** Among `statFields`. */
const STAT_START_TIME = 19;

/** Runs one load job in a separate process. */
export async function load(job: LoadJob): Promise<LoadResult> {
  const script = fileURLToPath(new URL('./load.js', import.meta.url));
  const { stdout } = await run(process.execPath, [script, JSON.stringify(job)], { timeout: MAX_LOAD_MS });
  return JSON.parse(stdout) as LoadResult;
}

export interface Child {
  readonly port: number;
  readonly process: ChildProcess;
}

/** Starts a script of this folder that prints its port first. */
export async function startScript(name: string): Promise<Child> {
  const script = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${name} ended before it was ready.`)));
    child.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString().trim())));
  });
  return { port, process: child };
}

/** The metrics of a service, in Prometheus' text format. */
export async function readMetrics(operationsPort: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
}

/** The maximum resident memory of each process while `work` runs, in bytes. */
export async function peakMemory<T>(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly peaks: Readonly<Record<string, number>> }> {
  const peaks: Record<string, number> = {};
  const sample = (): void => {
    for (const [name, pid] of Object.entries(pids)) {
      peaks[name] = Math.max(peaks[name] ?? 0, residentBytes(pid));
    }
  };
  const timer = setInterval(sample, SAMPLE_INTERVAL_MS);
  try {
    const result = await work();
    sample();
    return { result, peaks };
  } finally {
    clearInterval(timer);
  }
}

/** Proportional memory of whole process trees, so that memory which Postgres' processes share counts once. */
export function treeMemory(roots: readonly number[]): number {
  return treeOf(roots).reduce((sum, pid) => sum + proportionalBytes(pid), 0);
}

/** How long a process has been running, to the hundredth of a second. */
export function ageMs(pid: number): number {
  const fields = statFields(pid);
  if (fields === undefined) throw new Error(`There is no process ${pid}.`);
  const startedTicks = Number(fields[STAT_START_TIME]);
  const [uptimeSeconds = ''] = readFileSync('/proc/uptime', 'utf8').split(' ');
  return Number(uptimeSeconds) * 1_000 - startedTicks * MS_PER_TICK;
}

export function residentBytes(pid: number): number {
  return kibField(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB/m);
}

function proportionalBytes(pid: number): number {
  return kibField(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB/m);
}

/** 0 for a process that has ended, and on a system without /proc. */
function kibField(file: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) * BYTES_PER_KIB;
  } catch {
    return 0;
  }
}
