import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { identify, isAlive, type ProcessIdentity } from '@truetally/testing';
import { type LocalFolder } from './local-folder.js';

const MAX_TRIES = 10;

/**
 * Takes the folder for this process. The lock of a process that was killed counts for nothing, even when its process
 * id has been given to another since.
 * @throws Error when a living process holds it
 */
export function takeLock({ path, lock }: LocalFolder): { release: () => void } {
  mkdirSync(path, { recursive: true });
  const self = JSON.stringify(identify(process.pid));
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    try {
      writeFileSync(lock, self, { flag: 'wx' });
      return { release: () => release(lock, self) };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = readHolder(lock);
    if (holder !== null && isAlive(holder)) {
      throw new Error(
        `A stack already runs in ${path} (process ${holder.pid}). Stop it first: kill ${holder.pid}`,
      );
    }
    removeStale(lock);
  }
  throw new Error(`${lock} cannot be taken: others take it all the time`);
}

function release(lock: string, self: string): void {
  if (read(lock) === self) rmSync(lock, { force: true });
}

/** Of several that find it stale, only one can rename it. */
function removeStale(lock: string): void {
  const stale = `${lock}.${process.pid}`;
  try {
    renameSync(lock, stale);
    rmSync(stale, { force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

function readHolder(lock: string): ProcessIdentity | null {
  try {
    return JSON.parse(read(lock)) as ProcessIdentity;
  } catch {
    return null;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
