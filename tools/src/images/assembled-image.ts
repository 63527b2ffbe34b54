import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { EXIT_FLAGS, ManagedProcess, NODE_BINARY, REPOSITORY_ROOT } from '@truetally/processes';
import { type Environment } from '@truetally/testing-product';
import {
  type CheckedImage,
  IMAGE_USER,
  type ImageName,
  type ImageProcess,
  type ImageProgram,
  writableFolder,
} from './image.js';
import { checkContent, checkSize } from './image-content.js';

/** Of gcr.io/distroless/cc-debian12: the C and C++ libraries, certificates and time zones. */
const BASE_MEBIBYTES = 24;
const NODE_FLAGS = [...EXIT_FLAGS, '--max-semi-space-size=16', '--max-old-space-size=256'];

/**
 * Runs the Dockerfile's scripts for a service and checks the result.
 * @param parent gets a folder for the image, and one in place of a container's /tmp
 * @throws when it is too large, contains files of tests, or has no bill of materials
 */
export function assembleImage<Name extends ImageName>(parent: string, service: Name): CheckedImage<Name> {
  const folder = join(parent, `image-${service}`);
  const temporary = join(parent, `tmp-${service}`);
  const script = join(REPOSITORY_ROOT, 'docker', 'build', 'assemble.mjs');
  execFileSync(NODE_BINARY, [script, service, folder], {
    cwd: REPOSITORY_ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const packages = checkContent(service, folder);
  const mebibytes = checkSize(service, folder, BASE_MEBIBYTES);
  writableFolder(temporary);
  const start = async (program: ImageProgram, env: Environment): Promise<ImageProcess> => {
    const whole = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1', TMPDIR: temporary, ...env };
    const run = (args: readonly string[]) => startNode(service, folder, args, whole);
    const child = await run([...(program === 'main' ? NODE_FLAGS : []), `service/dist/${program}.js`]);
    return {
      process: child,
      checkHealth: async () => {
        const check = await run(['bin/health-check.mjs']);
        return (await check.exited).code;
      },
      kill: async () => {
        await child.stop('SIGKILL');
      },
    };
  };
  return { service, mebibytes, packages, start };
}

/** It inherits nothing from this process's environment, as in a container. */
function startNode(
  service: ImageName,
  folder: string,
  args: readonly string[],
  env: Environment,
): Promise<ManagedProcess> {
  return ManagedProcess.start({
    name: service,
    command: join(folder, 'bin', 'node'),
    args,
    env,
    cwd: folder,
    ...(IMAGE_USER ?? {}),
  });
}
