import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { Drafts, ignoreMissing } from './drafts.js';
import {
  checkKey,
  isKey,
  type Draft,
  type ObjectDescription,
  type ObjectStore,
  type OpenedObject,
  StoreUnavailableError,
} from './object-store.js';

/** Starts with a dot, which no key does. In the same folder as the objects, so that a rename is atomic. */
const DRAFTS_FOLDER = '.drafts';

/** Objects are files in one folder that all processes share. */
export class DiskStore implements ObjectStore {
  private readonly drafts: Drafts;

  constructor(private readonly directory: string) {
    this.drafts = new Drafts(join(directory, DRAFTS_FOLDER));
  }

  async draft(): Promise<Draft> {
    const path = await this.drafts.create();
    return {
      path,
      publish: (key) => this.guard(() => publish(path, this.pathOf(key))),
      discard: () => rm(path, { force: true }),
    };
  }

  open(key: string, fromByte = 0): Promise<OpenedObject | undefined> {
    return this.guard(async () => {
      const file = await open(this.pathOf(key), 'r').catch(ignoreMissing);
      if (file === undefined) return undefined;
      // Through the open file: it can be read to its end even if its name is deleted meanwhile.
      const { size, mtimeMs } = await file.stat();
      return { key, bytes: size, storedAtMs: mtimeMs, body: file.createReadStream({ start: fromByte }) };
    });
  }

  describe(key: string): Promise<ObjectDescription | undefined> {
    return this.guard(async () => {
      const found = await stat(this.pathOf(key)).catch(ignoreMissing);
      return found === undefined ? undefined : { key, bytes: found.size, storedAtMs: found.mtimeMs };
    });
  }

  delete(key: string): Promise<void> {
    return this.guard(() => rm(this.pathOf(key), { force: true }));
  }

  async *list(folder: string): AsyncIterable<ObjectDescription> {
    const root = this.pathOf(folder);
    const entries = await this.guard(async () => {
      return (await readdir(root, { recursive: true, withFileTypes: true }).catch(ignoreMissing)) ?? [];
    });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const key = path.slice(this.directory.length + 1).replaceAll(sep, '/');
      const description = isKey(key) ? await this.describe(key) : undefined;
      if (description !== undefined) yield description;
    }
  }

  removeDraftsBefore(timeMs: number): Promise<void> {
    return this.guard(() => this.drafts.removeBefore(timeMs));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private pathOf(key: string): string {
    return join(this.directory, ...checkKey(key).split('/'));
  }

  private async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RangeError || error instanceof StoreUnavailableError) throw error;
      throw new StoreUnavailableError('The disk cannot be used.', { cause: error });
    }
  }
}

/** First the bytes, then the name, each made durable: after a crash the object is complete or absent. */
async function publish(path: string, target: string): Promise<void> {
  await sync(path);
  await mkdir(dirname(target), { recursive: true });
  await rename(path, target);
  await sync(dirname(target));
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
