import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { endProcess, isAlive, type ProcessIdentity, sendSignal } from './identity.js';

/**
 * The folders that this variable names (with the separator of PATH) get a note of every started process until it
 * ends, so that whoever started the run can end what a crash left behind.
 */
export const RECORDS_VARIABLE = 'TRUETALLY_PROCESS_RECORDS';

/** @param identity of a process that leads a group, as all do that are started detached */
export function recordProcess(identity: ProcessIdentity): void {
  for (const folder of recordFolders()) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, String(identity.pid)), identity.startedAt);
  }
}

export function forgetProcess(identity: ProcessIdentity): void {
  for (const folder of recordFolders()) rmSync(join(folder, String(identity.pid)), { force: true });
}

/** Notes processes in this folder too, beside those that the caller's environment names. */
export function alsoRecordIn(folder: string): void {
  process.env[RECORDS_VARIABLE] = [...new Set([...recordFolders(), folder])].join(delimiter);
}

/** Ends, at once, every process that is still noted in the folder, and its group; tells how many there were. */
export async function endRecordedProcesses(folder: string): Promise<number> {
  const alive = recordedIn(folder);
  for (const { pid } of alive) sendSignal(-pid, 'SIGKILL');
  await Promise.all(alive.map((identity) => endProcess(identity, { signal: 'SIGKILL' })));
  rmSync(folder, { recursive: true, force: true });
  return alive.length;
}

function recordedIn(folder: string): readonly ProcessIdentity[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .map((name) => ({ pid: Number(name), startedAt: readFileSync(join(folder, name), 'utf8') }))
    .filter(isAlive);
}

function recordFolders(): readonly string[] {
  return (process.env[RECORDS_VARIABLE] ?? '').split(delimiter).filter((folder) => folder !== '');
}
