import { type ObjectStore, type ObjectStoreOptions, openObjectStore } from '@truetally/object-store';
import type { Logger } from '@truetally/platform';

const SWEEP_INTERVAL_MS = 600_000;
/** Of drafts: a request is long over by then. */
const ABANDONED_MS = 3_600_000;

/** The store of pictures, without what a gateway that was killed has left on the disk. */
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
