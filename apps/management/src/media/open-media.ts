import { fileURLToPath } from 'node:url';
import { openObjectStore } from '@truetally/object-store';
import type { Logger } from '@truetally/platform';
import type pg from 'pg';
import type { ManagementConfig } from '../config.js';
import { ImageProcess } from './image-process.js';
import { MediaFiles } from './media-files.js';
import { MediaSweeper } from './media-sweeper.js';

export interface Media {
  readonly files: MediaFiles;
  readonly sweeper: MediaSweeper;
  stop(): Promise<void>;
}

/** The parts for pictures: their store, the decoding process, and the sweeper. */
export async function openMedia(parts: {
  readonly config: Pick<ManagementConfig, 'mediaStore'>;
  readonly pool: pg.Pool;
  readonly log: Logger;
}): Promise<Media> {
  const { config, pool, log } = parts;
  const store = await openObjectStore(config.mediaStore);
  const images = new ImageProcess({
    script: fileURLToPath(new URL('image-child.js', import.meta.url)),
    onCrash: (reason) => log.warn({ reason }, 'The image process ended on a picture.'),
  });
  const files = new MediaFiles(store, images, pool);
  const sweeper = new MediaSweeper({ pool, store, log, nowMs: Date.now });
  sweeper.start();
  const stop = async (): Promise<void> => {
    await sweeper.stop();
    images.close();
    await store.close();
  };
  return { files, sweeper, stop };
}
