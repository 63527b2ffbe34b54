import { type ServiceName } from '@truetally/contracts/services';
import { eventually, freePort, isReady } from '@truetally/processes';
import {
  type Environment,
  type Installation,
  migrationEnvironment,
  serviceEnvironment,
} from '@truetally/testing-product';
import { type Image, type ImageName, type MountedFiles, writableFolder } from './image.js';

/** A service that runs from an image. */
export interface RunningImage {
  readonly service: ServiceName;
  /** Of the gateway only. */
  readonly httpPort: number | undefined;
  /** Stops it like a platform. @throws when its exit code is not 0 */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const READY_TIMEOUT_MS = 180_000;

export async function migrateImage(image: Image, installation: Installation): Promise<void> {
  const env = migrationEnvironment(installation, image.service);
  const migration = await image.start('migrate', env, { readable: [], writable: [] });
  const { code } = await migration.process.exited;
  if (code !== 0) throw new Error(`The migration of ${image.service} failed:\n${migration.process.tail()}`);
}

/** Resolves when the image's own health check is content. */
export async function startImage(image: Image, installation: Installation): Promise<RunningImage> {
  const { service } = image;
  writableFolder(installation.mediaDirectory);
  const operationsPort = await freePort();
  const httpPort = service === 'gateway' ? await freePort() : undefined;
  const env = {
    ...serviceEnvironment(installation, service),
    OPERATIONS_PORT: String(operationsPort),
    ...(httpPort === undefined ? {} : { HTTP_PORT: String(httpPort) }),
  };
  const files = { readable: [installation.keyringFile], writable: [installation.mediaDirectory] };
  return { service, httpPort, ...(await startServing(image, env, files)) };
}

/** Starts its serving program, which finds its operations port in the environment. Resolves when it is ready. */
export async function startServing(
  image: Image<ImageName>,
  env: Environment & { readonly OPERATIONS_PORT: string },
  files: MountedFiles,
): Promise<Pick<RunningImage, 'kill' | 'stop'>> {
  const { service } = image;
  const operationsPort = Number(env.OPERATIONS_PORT);
  const { process: child, checkHealth, kill } = await image.start('main', env, files);
  try {
    await eventually(() => !child.isRunning || isReady(operationsPort), { timeoutMs: READY_TIMEOUT_MS });
  } catch (error) {
    await kill();
    throw new Error(`${service} is not ready:\n${child.tail()}`, { cause: error });
  }
  if (!child.isRunning) throw new Error(`${service} ${child.describeExit()} at start:\n${child.tail()}`);
  if ((await checkHealth()) !== 0) {
    await kill();
    throw new Error(`The health check of ${service} failed.`);
  }
  return {
    stop: async () => {
      const { code } = await child.stop('SIGTERM');
      if (code !== 0) throw new Error(`${service} ${child.describeExit()} at its end:\n${child.tail()}`);
    },
    kill,
  };
}
