import { mkdirSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName } from '@truetally/contracts/services';
import { eventually, freePort, isReady, ManagedProcess } from '@truetally/processes';
import { type Installation, migrationEnvironment, serviceEnvironment } from '@truetally/testing-product';
import { type AssembledImage } from './assembled-image.js';

/** The user of the images, when we may become it. */
export const IMAGE_USER = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : null;

/** A service that runs from an image's files. */
export interface RunningImage {
  readonly service: ServiceName;
  /** Of the gateway only. */
  readonly httpPort: number | undefined;
  /** Stops it like a platform. @throws when its exit code is not 0 */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const NODE_FLAGS = ['--max-semi-space-size=16', '--max-old-space-size=256'];
const READY_TIMEOUT_MS = 180_000;

export async function migrateImage(image: AssembledImage, installation: Installation): Promise<void> {
  const env = migrationEnvironment(installation, image.service);
  const migration = await start(image, ['service/dist/migrate.js'], env);
  const { code } = await migration.exited;
  if (code !== 0) throw new Error(`The migration of ${image.service} failed:\n${migration.tail()}`);
}

/** @param scratch a folder in place of a container's /tmp */
export async function startImage(
  image: AssembledImage,
  installation: Installation,
  scratch: string,
): Promise<RunningImage> {
  const { service } = image;
  const temporary = join(scratch, `tmp-${service}`);
  for (const folder of [temporary, installation.mediaDirectory]) writableFolder(folder);
  const operationsPort = await freePort();
  const httpPort = service === 'gateway' ? await freePort() : undefined;
  const child = await start(image, [...NODE_FLAGS, 'service/dist/main.js'], {
    ...serviceEnvironment(installation, service),
    OPERATIONS_PORT: String(operationsPort),
    TMPDIR: temporary,
    ...(httpPort === undefined ? {} : { HTTP_PORT: String(httpPort) }),
  });
  try {
    await eventually(() => !child.isRunning || isReady(operationsPort), { timeoutMs: READY_TIMEOUT_MS });
  } catch (error) {
    await child.stop('SIGKILL');
    throw new Error(`${service} is not ready:\n${child.tail()}`, { cause: error });
  }
  if (!child.isRunning) throw new Error(`${service} ${child.describeExit()} at start:\n${child.tail()}`);
  const checkHealth = await start(image, ['bin/health-check.mjs'], {
    OPERATIONS_PORT: String(operationsPort),
  });
  if ((await checkHealth.exited).code !== 0) throw new Error(`The health check of ${service} failed.`);
  return {
    service,
    httpPort,
    stop: async () => {
      const { code } = await child.stop('SIGTERM');
      if (code !== 0) throw new Error(`${service} ${child.describeExit()} at its end:\n${child.tail()}`);
    },
    kill: async () => {
      await child.stop('SIGKILL');
    },
  };
}

/** It inherits nothing from this process's environment, as in a container. */
function start(
  { service, folder }: AssembledImage,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ManagedProcess> {
  return ManagedProcess.start({
    name: service,
    command: join(folder, 'bin', 'node'),
    args,
    env: { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1', ...env },
    cwd: folder,
    ...(IMAGE_USER ?? {}),
  });
}

function writableFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (IMAGE_USER !== null) chownSync(folder, IMAGE_USER.uid, IMAGE_USER.gid);
}
