import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMAGE_NAMES } from '@truetally/contracts/services';
import { assembleImage } from './assembled-image.js';
import { type CheckedImage, type ImageName } from './image.js';
import { PAGES_IMAGE, tryPages } from './try-pages.js';
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
    const pages = assembled(folder, PAGES_IMAGE);
    await tryImages(images, folder);
    await tryPages(pages);
    console.log('Every service and the pages start from what their image holds, and answer.');
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function assembled<Name extends ImageName>(folder: string, service: Name): CheckedImage<Name> {
  const image = assembleImage(folder, service);
  console.log(`${service}: ${image.mebibytes} MiB with its base, ${image.packages} packages.`);
  return image;
}
