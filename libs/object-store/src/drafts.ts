import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnavailableError } from './object-store.js';

const PRIVATE_FILE_MODE = 0o600;

/** The folder in which files are written before they are objects. */
export class Drafts {
  constructor(private readonly folder: string) {}

  /** @returns the path of a new, empty file */
  async create(): Promise<string> {
    const path = join(this.folder, randomUUID());
    try {
      await mkdir(this.folder, { recursive: true });
      const file = await open(path, 'wx', PRIVATE_FILE_MODE);
      await file.close();
    } catch (error) {
      throw new StoreUnavailableError('A draft cannot be written.', { cause: error });
    }
    return path;
  }

  async removeBefore(timeMs: number): Promise<void> {
    for (const name of await namesIn(this.folder)) {
      const path = join(this.folder, name);
      const found = await stat(path).catch(ignoreMissing);
      if (found !== undefined && found.mtimeMs < timeMs) await rm(path, { force: true });
    }
  }
}

/** @returns none for a missing folder */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

/** For `catch`: a missing file is undefined, any other error stays one. */
export function ignoreMissing(error: unknown): undefined {
  const isMissing = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
  if (isMissing) return undefined;
  throw error;
}
