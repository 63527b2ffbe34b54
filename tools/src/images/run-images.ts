import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMAGE_NAMES } from '@truetally/contracts/services';
import { ManagedProcess } from '@truetally/processes';
import { openBuiltImage } from './built-image.js';
import { tryImages } from './try-images.js';
import { PAGES_IMAGE, tryPages } from './try-pages.js';

const FAILED = 1;

/**
 * Checks the images that tools/images/build.sh has built, and runs each in a container.
 * @param built has a folder for each image, named like its service
 * @returns the exit code
 */
export async function runImages(built: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'truetally-containers-'));
  // What is made on the way goes with it, however this ends.
  process.env['TMPDIR'] = folder;
  const clear = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.once(
      signal,
      () =>
        void killAll()
          .then(clear)
          .finally(() => process.exit(FAILED)),
    );
  }
  try {
    const services = IMAGE_NAMES.filter((service) => existsSync(join(built, service)));
    const images = services.map((service) => openBuiltImage(built, service));
    for (const { service, mebibytes, packages } of images) {
      console.log(`${service}: ${mebibytes} MiB, ${packages} packages, no shell, user 65532.`);
    }
    if (images.length > 0) {
      await tryImages(images, folder);
      console.log(`${services.join(', ')}: each migrates, serves and ends in a container of its image.`);
    }
    if (existsSync(join(built, PAGES_IMAGE))) {
      const pages = openBuiltImage(built, PAGES_IMAGE);
      console.log(
        `${PAGES_IMAGE}: ${pages.mebibytes} MiB, ${pages.packages} packages, no shell, user 65532.`,
      );
      await tryPages(pages);
      console.log(`${PAGES_IMAGE}: serves its pages and ends in a container of its image.`);
    }
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return FAILED;
  } finally {
    clear();
  }
}

/** Containers are left to tools/images/tools.sh, which ends them with runc. */
async function killAll(): Promise<void> {
  const children = [...ManagedProcess.running];
  await Promise.all(children.map((child) => child.stop('SIGKILL')));
}
