import type { Logger } from '@truetally/platform';
import type { Uploads } from './read-upload.js';

const INTERVAL_MS = 3_600_000;
/** Operators notice a job that could not read its upload long before. */
const KEEP_MS = 7 * 86_400_000;

/** Removes abandoned uploads. */
export class UploadSweeper {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly uploads: Uploads,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly nowMs: () => number,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.sweeping = this.sweep();
    }, INTERVAL_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  private async sweep(): Promise<void> {
    try {
      await this.uploads.removeBefore(this.nowMs() - KEEP_MS);
    } catch (error) {
      this.log.warn({ err: error }, 'Old uploads could not be removed; it is tried again.');
    }
  }
}
