import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A file for a field of the page, which gets its path: contents that a test hands over go to the page as text, which takes
 * four seconds of a processor for 32 MiB.
 */
export function fileOfSize(name: string, bytes: number): string {
  const path = join(mkdtempSync(join(tmpdir(), 'truetally-upload-')), name);
  writeFileSync(path, '');
  truncateSync(path, bytes);
  return path;
}
