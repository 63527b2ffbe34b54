import { INCOMING_FOLDER, MEDIA_FOLDER } from '@truetally/contracts/management';
import type { ObjectStore } from '@truetally/object-store';
import { inTransaction } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type pg from 'pg';
import { dueFiles, isFileInUse, lockFile, settleCheck } from '../storage/media-file-checks.js';

export interface MediaSweeperParts {
  readonly pool: pg.Pool;
  readonly store: ObjectStore;
  readonly log: Logger;
  readonly nowMs: () => number;
}

/** Interval of checks for files without a picture: one query over an index that is nearly always empty. */
const INTERVAL_MS = 5_000;
/** Interval of checks for abandoned files, which must list the store. */
const ABANDONED_INTERVAL_MS = 600_000;
/** Age at which uploads and drafts are abandoned: far longer than a request. */
const ABANDONED_MS = 3_600_000;
const FILES_PER_PASS = 1_000;

/** Removes files without a picture, and abandoned uploads and drafts. */
export class MediaSweeper {
  private timer: NodeJS.Timeout | undefined;
  private pass: Promise<void> = Promise.resolve();
  private isWoken = false;
  private lookedForAbandonedMs = -Infinity;

  constructor(private readonly parts: MediaSweeperParts) {}

  start(): void {
    this.timer = setInterval(() => this.wake(), INTERVAL_MS);
    this.timer.unref();
  }

  /** Starts a pass, or schedules one after the current pass. */
  wake(): void {
    if (this.isWoken) return;
    this.isWoken = true;
    this.pass = this.pass.then(() => {
      this.isWoken = false;
      return this.makePass().catch((error: unknown) => {
        this.parts.log.warn({ err: error }, 'Old media files could not be removed; it is tried again.');
      });
    });
  }

  /** Resolves when the current pass has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.isWoken = true;
    await this.pass;
  }

  /** Files without a picture. */
  async removeUnused(): Promise<void> {
    for (const file of await dueFiles(this.parts.pool, FILES_PER_PASS)) await this.check(file);
  }

  /** Abandoned uploads and drafts. */
  async removeAbandoned(): Promise<void> {
    const { store, nowMs } = this.parts;
    const abandonedMs = nowMs() - ABANDONED_MS;
    for await (const { key, storedAtMs } of store.list(INCOMING_FOLDER)) {
      if (storedAtMs < abandonedMs) await store.delete(key);
    }
    await store.removeDraftsBefore(abandonedMs);
  }

  private async makePass(): Promise<void> {
    await this.removeUnused();
    const nowMs = this.parts.nowMs();
    if (nowMs - this.lookedForAbandonedMs < ABANDONED_INTERVAL_MS) return;
    this.lookedForAbandonedMs = nowMs;
    await this.removeAbandoned();
  }

  /** Uses the same lock as storing the file: the file is either stored again, or found in use. */
  private async check(file: string): Promise<void> {
    const { pool, store } = this.parts;
    await inTransaction(pool, async (client) => {
      await lockFile(client, file);
      if (!(await settleCheck(client, file))) return;
      if (!(await isFileInUse(client, file))) await store.delete(`${MEDIA_FOLDER}/${file}`);
    });
  }
}
