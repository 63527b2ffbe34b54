import { type Readable } from 'node:stream';

/**
 * Storage for files that are too large for a row or a message: by key, complete, and never changed in place.
 * An object that one process has published is visible to all at once.
 */
export interface ObjectStore {
  /** A local file to write to; publishing makes it an object. */
  draft(): Promise<Draft>;
  /**
   * @param fromByte where the body starts; empty at or after the object's end
   * @returns undefined for a missing object. The caller must read or destroy the body.
   * @throws StoreUnavailableError
   */
  open(key: string, fromByte?: number): Promise<OpenedObject | undefined>;
  /**
   * @returns undefined for a missing object
   * @throws StoreUnavailableError
   */
  describe(key: string): Promise<ObjectDescription | undefined>;
  /**
   * Also succeeds for a missing object.
   * @throws StoreUnavailableError
   */
  delete(key: string): Promise<void>;
  /**
   * Every object whose key starts with the folder's name and a slash, in no particular order.
   * @throws StoreUnavailableError
   */
  list(folder: string): AsyncIterable<ObjectDescription>;
  /** Removes drafts that are unchanged since then: those of killed processes. */
  removeDraftsBefore(timeMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Maximum number of open objects per process, however slow their readers are. A store has as many connections
 * again for everything else.
 */
export const OPEN_OBJECTS_LIMIT = 256;

/** An entry of a listing of stored objects. */
export interface ObjectDescription {
  readonly key: string;
  readonly bytes: number;
  /** At least to the second. */
  readonly storedAtMs: number;
}

/** The description covers the whole object, wherever its body starts. */
export interface OpenedObject extends ObjectDescription {
  readonly body: Readable;
}

/** A file on the local disk that readers of the store do not see. */
export interface Draft {
  /** The file exists, and is empty at first. */
  readonly path: string;
  /**
   * Resolves when the object is durable under its key, replacing a former one. The draft no longer exists
   * then.
   * @throws StoreUnavailableError the draft still exists
   */
  publish(key: string): Promise<void>;
  /** Removes the file. Does nothing after publishing or discarding. */
  discard(): Promise<void>;
}

/** The disk is full, the bucket is unreachable, or access to it is refused: an operator must act. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

const KEY_SEGMENT = '[a-z0-9][a-z0-9._-]{0,127}';
const KEY = new RegExp(`^${KEY_SEGMENT}(/${KEY_SEGMENT}){0,3}$`);

/** Others leave files beside ours: a network's file system that of an open one, a bucket's console a folder's placeholder. */
export function isKey(name: string): boolean {
  return KEY.test(name);
}

/**
 * Keys are file names and parts of URLs, so they contain no character that is special in either.
 * @throws RangeError keys are ours, so that an invalid one is a bug
 */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new RangeError('An object key must be up to four lower-case names with slashes.');
  return key;
}
