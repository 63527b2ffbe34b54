import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, type ProcessIdentity } from './identity.js';

/**
 * When `TRUETALLY_PROCESS_RECORDS` names a folder, every started process is noted there until it ends, so that
 * whoever started the run can end what a crashed test worker left behind.
 */
const RECORDS_VARIABLE = 'TRUETALLY_PROCESS_RECORDS';

export function recordProcess(identity: ProcessIdentity): void {
  const folder = process.env[RECORDS_VARIABLE];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, String(identity.pid)), identity.startedAt);
}

export function forgetProcess(identity: ProcessIdentity): void {
  const folder = process.env[RECORDS_VARIABLE];
  if (folder === undefined || folder === '') return;
  rmSync(join(folder, String(identity.pid)), { force: true });
}

/** Ends every process that is still noted in the folder. */
export async function endRecordedProcesses(folder: string): Promise<void> {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  await Promise.all(
    names.map((name) =>
      endProcess(
        { pid: Number(name), startedAt: readFileSync(join(folder, name), 'utf8') },
        { signal: 'SIGKILL' },
      ),
    ),
  );
}
