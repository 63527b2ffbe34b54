import { type ObjectStore, type ObjectStoreOptions, openObjectStore } from '@truetally/object-store';
import type { Logger } from '@truetally/platform';

const SWEEP_INTERVAL_MS = 600_000;
/** Age at which drafts are abandoned: far longer than a request. */
const ABANDONED_MS = 3_600_000;

/** The store of pictures; cleans up drafts that a killed gateway left on the disk. */
export class MediaStore {
  private constructor(
    readonly store: ObjectStore,
    private readonly timer: NodeJS.Timeout,
  ) {}

  static async open(options: ObjectStoreOptions, log: Logger): Promise<MediaStore> {
    const store = await openObjectStore(options);
    const sweep = (): void => {
      store.removeDraftsBefore(Date.now() - ABANDONED_MS).catch((error: unknown) => {
        log.warn({ err: error }, 'Old drafts could not be removed; it is tried again.');
      });
    };
    sweep();
    const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
    timer.unref();
    return new MediaStore(store, timer);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.store.close();
  }
}
