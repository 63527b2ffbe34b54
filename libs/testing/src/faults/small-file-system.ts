import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A separate file system, which a test can fill up. */
export interface SmallFileSystem {
  readonly folder: string;
  /** Uses all free space. */
  fill(): void;
  /** Frees it again. */
  free(): void;
  remove(): void;
}

const FILLER = 'filler';
const CHUNK_BYTES = 1_048_576;

/** @returns null where mounting is not permitted: it needs root, and a container that allows it */
export function mountSmallFileSystem(folder: string, mebibytes: number): SmallFileSystem | null {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
  } catch {
    return null;
  }
  const filler = join(folder, FILLER);
  return {
    folder,
    fill: () => {
      fillUp(folder, filler);
    },
    free: () => {
      // Truncated before it is removed: a full file system may have no room even for that.
      truncateSync(filler);
      rmSync(filler);
    },
    remove: () => {
      execFileSync('umount', ['--lazy', folder]);
    },
  };
}

function fillUp(folder: string, filler: string): void {
  writeFileSync(filler, '');
  for (let freeBytes = bytesFree(folder); freeBytes > 0; freeBytes = bytesFree(folder)) {
    writeFileSync(filler, Buffer.alloc(Math.min(CHUNK_BYTES, freeBytes)), { flag: 'a' });
  }
}

/** @returns 0 for less than a page */
function bytesFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
