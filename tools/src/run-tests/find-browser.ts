import { accessSync, constants, globSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { REPOSITORY_ROOT } from '@truetally/processes';

const BROWSER_SPECS = '{apps,libs,tools}/*/src/**/*.browser-spec.ts';

/** The Chromium of the variable `CHROMIUM`, else `chromium` on the path; undefined where it is no program. */
export function findChromium(environment: NodeJS.ProcessEnv): string | undefined {
  return firstOf(environment, ['chromium']);
}

/**
 * The same engine without a browser's windows, which cost as much as many of our pages, and without a back/forward cache;
 * where there is none, the browser.
 */
export function findShell(environment: NodeJS.ProcessEnv): string | undefined {
  return firstOf(environment, ['chromium-headless-shell', 'chromium']);
}

function firstOf(environment: NodeJS.ProcessEnv, programs: readonly string[]): string | undefined {
  const named = environment['CHROMIUM'];
  const folders = (environment['PATH'] ?? '').split(delimiter);
  const candidates =
    named !== undefined && named !== ''
      ? [named]
      : programs.flatMap((program) => folders.map((folder) => join(folder, program)));
  return candidates.find(isProgram);
}

/** What to say, first and last, of a run without a browser. */
export function withoutBrowser(): string {
  const files = globSync(BROWSER_SPECS, { cwd: REPOSITORY_ROOT }).length;
  return `browser tests did not run: ${files} files, no Chromium found; install it with "apt-get install --no-install-recommends chromium", or name it in CHROMIUM`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
