import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY_ROOT } from '@truetally/processes';

const MODULE = join(REPOSITORY_ROOT, 'libs', 'testing', 'dist', 'faults', 'shifted-clock.js');

/** Environment that makes a service's clock wrong by the milliseconds in the file. */
export function clockEnvironment(file: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${pathToFileURL(MODULE).href}`, TRUETALLY_CLOCK_FILE: file };
}
