import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';

/** A separate file system, which a test can fill up. */
export interface SmallFileSystem {
  readonly folder: string;
  /** Leaves no free space. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  remove(): void;
}

const MOST_ATTEMPTS = 100;

/** @returns null where mounting is not permitted: it needs root, and a container that allows it */
export function mountSmallFileSystem(folder: string, mebibytes: number): SmallFileSystem | null {
  mkdirSync(folder, { recursive: true });
  const mount = (options: string): void => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  };
  try {
    mount(`size=${mebibytes}m,mode=0755`);
  } catch {
    return null;
  }
  return {
    folder,
    fill: () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          mount(`remount,size=${bytesUsed(folder)}`);
          return;
        } catch (error) {
          // Refused when more has been used meanwhile.
          if (attempt === MOST_ATTEMPTS) throw error;
        }
      }
    },
    free: () => mount(`remount,size=${mebibytes}m`),
    remove: () => {
      execFileSync('umount', ['--lazy', folder]);
    },
  };
}

function bytesUsed(folder: string): number {
  const { blocks, bfree, bsize } = statfsSync(folder);
  return (blocks - bfree) * bsize;
}
