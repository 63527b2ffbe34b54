import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { endProcess, isAlive, type ProcessIdentity, sendSignal } from './identity.js';

/**
 * Each folder that this variable names (with the separator of PATH) gets a record of every started process
 * until it ends, so that the run's starter can end processes that a crash left behind.
 */
export const RECORDS_VARIABLE = 'TRUETALLY_PROCESS_RECORDS';

/** @param identity of a group leader, as all detached processes are */
export function recordProcess(identity: ProcessIdentity): void {
  for (const folder of recordFolders()) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, String(identity.pid)), identity.startedAt);
  }
}

/** Removes the records of a process that has ended. */
export function forgetProcess(identity: ProcessIdentity): void {
  for (const folder of recordFolders()) rmSync(join(folder, String(identity.pid)), { force: true });
}

/** Records processes in this folder too, beside those of the caller's environment. */
export function alsoRecordIn(folder: string): void {
  process.env[RECORDS_VARIABLE] = [...new Set([...recordFolders(), folder])].join(delimiter);
}

/** Kills every process that is still recorded in the folder, and its group; returns their number. */
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
