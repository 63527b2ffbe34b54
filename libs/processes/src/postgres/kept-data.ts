import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Names a folder of a test run, which keeps new data of each login when it was made once: later servers begin with a copy, for a tenth
 * of what `initdb` costs. They have one system identifier: a test that restores a dump into another cluster makes that without it.
 */
export const NEW_DATA_VARIABLE = 'TRUETALLY_NEW_DATA';

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Where new data of this login is kept, or will be; undefined outside of a test run. */
export function keptNewData({ user, password }: Login): string | undefined {
  const folder = process.env[NEW_DATA_VARIABLE];
  const name = createHash('sha256').update(`${user} ${password}`).digest('hex');
  return folder === undefined ? undefined : join(folder, name);
}

/** Keeps a copy of data that no server has had yet, unless another process was faster. */
export async function keepNewData(dataDir: string, kept: string): Promise<void> {
  if (existsSync(kept)) return;
  const unfinished = `${kept}.${randomUUID()}`;
  await promisify(execFile)('cp', ['-a', dataDir, unfinished]);
  await rename(unfinished, kept).catch(() => rm(unfinished, { recursive: true, force: true }));
}
