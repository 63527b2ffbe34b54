import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Replaces a file atomically: a reader sees the old content or the new. Only its owner may read it. */
export function writePrivateJson(file: string, value: unknown): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

/** The content of such a file, or null if it does not exist. */
export function readPrivateJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT')
      return null;
    throw new Error(`${file} cannot be read; "npm run reset" begins anew`, { cause: error });
  }
}
