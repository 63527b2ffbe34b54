import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { EXIT_FLAGS, NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';

/**
 * Runs a built program of a service to its end; its output is this process's.
 * @param app its folder in `apps`
 * @param program its file there, without `.js`
 * @returns the exit code; null when a signal ended it
 * @throws Error when it could not be started
 */
export async function runServiceProgram(
  app: string,
  program: string,
  env: NodeJS.ProcessEnv,
  parameters: readonly string[] = [],
): Promise<number | null> {
  const path = join(REPOSITORY_ROOT, 'apps', app, 'dist', `${program}.js`);
  const child = spawn(NODE_BINARY, [...EXIT_FLAGS, path, ...parameters], { env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
