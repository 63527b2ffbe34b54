import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY_ROOT } from '../repository.js';

const MODULE = join(REPOSITORY_ROOT, 'libs', 'testing', 'dist', 'faults', 'shifted-clock.js');

/** What a service is started with so that its clock can be wrong: by the milliseconds that the file says. */
export function clockEnvironment(file: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${pathToFileURL(MODULE).href}`, TRUETALLY_CLOCK_FILE: file };
}
