import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMAGE_NAMES, type ServiceName } from '@truetally/contracts/services';
import { assembleImage } from './assembled-image.js';
import { type CheckedImage } from './image.js';
import { tryImages } from './try-images.js';

/**
 * Does what `docker build` and `docker run` would do, without Docker: assembles every service's files in an
 * empty folder with the scripts of docker/build, starts each from there, as the image's unprivileged user,
 * against a real Kafka and Postgres, and sends the demo's traffic over HTTP.
 * @returns the exit code
 */
export async function checkImages(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-images-'));
  chmodSync(folder, 0o755);
  try {
    const images = IMAGE_NAMES.map((service) => assembled(folder, service));
    await tryImages(images, folder);
    console.log('Every service starts from what its image holds, and answers.');
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function assembled(folder: string, service: ServiceName): CheckedImage {
  const image = assembleImage(folder, service);
  console.log(`${service}: ${image.mebibytes} MiB with its base, ${image.packages} packages.`);
  return image;
}
