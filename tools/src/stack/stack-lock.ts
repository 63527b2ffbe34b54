import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { identify, isAlive, type ProcessIdentity } from '@truetally/processes';
import { type LocalFolder } from './local-folder.js';

const MAX_TRIES = 10;

/**
 * Locks the folder for this process. The lock of a killed process is ignored, even if its process id belongs
 * to another process by now.
 * @throws Error when a living process holds it
 */
export function takeLock({ path, lock }: LocalFolder): { release: () => void } {
  mkdirSync(path, { recursive: true });
  const self = JSON.stringify(identify(process.pid));
  // Written to a temporary file and linked into place, so that a lock always names its holder. `tools/bootstrap.mjs`
  // has its own lock of the same kind: it runs before this file is compiled, so that it cannot import it.
  const written = `${lock}.${randomUUID()}`;
  writeFileSync(written, self);
  try {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      if (tryLink(written, lock)) return { release: () => release(lock, self) };
      const found = read(lock);
      const holder = parseHolder(found);
      if (holder !== null && isAlive(holder)) {
        throw new Error(
          `A stack already runs in ${path} (process ${holder.pid}). Stop it first: kill ${holder.pid}`,
        );
      }
      removeStale(lock, found);
    }
  } finally {
    rmSync(written, { force: true });
  }
  throw new Error(`${lock} cannot be taken: others take it all the time`);
}

/** Unlike a rename, a link does not replace an existing file; false then. */
function tryLink(file: string, lock: string): boolean {
  try {
    linkSync(file, lock);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function release(lock: string, self: string): void {
  if (read(lock) === self) rmSync(lock, { force: true });
}

/** Another process may have replaced the stale lock meanwhile: an unexpected lock is restored. */
function removeStale(lock: string, found: string): void {
  const taken = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, taken);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (read(taken) !== found) tryLink(taken, lock);
  rmSync(taken, { force: true });
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

function parseHolder(text: string): ProcessIdentity | null {
  try {
    return JSON.parse(text) as ProcessIdentity;
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
