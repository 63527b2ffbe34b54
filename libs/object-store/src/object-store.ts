import { type Readable } from 'node:stream';

/**
 * Where files are kept that are too large for a row or a message: by key, whole, and never changed in place. What one
 * process has published, every other sees at once.
 */
export interface ObjectStore {
  /** A local file to write to, which becomes an object when it is published. */
  draft(): Promise<Draft>;
  /**
   * @param fromByte where the body begins; at or behind the object's end it is empty
   * @returns undefined when there is no such object. Whoever gets one reads or destroys its body.
   * @throws StoreUnavailableError
   */
  open(key: string, fromByte?: number): Promise<OpenedObject | undefined>;
  /**
   * @returns undefined when there is no such object
   * @throws StoreUnavailableError
   */
  describe(key: string): Promise<ObjectDescription | undefined>;
  /**
   * Also succeeds when there is nothing to delete.
   * @throws StoreUnavailableError
   */
  delete(key: string): Promise<void>;
  /**
   * Every object whose key begins with the folder's name and a slash, in no particular order.
   * @throws StoreUnavailableError
   */
  list(folder: string): AsyncIterable<ObjectDescription>;
  /** Removes drafts that nobody has touched since: those of processes that were killed. */
  removeDraftsBefore(timeMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Objects that one process may hold open at once, whoever reads them and however slowly: a store has as many connections
 * again for everything else.
 */
export const OPEN_OBJECTS_LIMIT = 256;

export interface ObjectDescription {
  readonly key: string;
  readonly bytes: number;
  /** To the second at least. */
  readonly storedAtMs: number;
}

/** The description is of the whole object, wherever its body begins. */
export interface OpenedObject extends ObjectDescription {
  readonly body: Readable;
}

/** A file on the local disk that no reader of the store sees. */
export interface Draft {
  /** The file exists, and is empty at first. */
  readonly path: string;
  /**
   * Resolves when the object is stored for good under its key, in place of one that was there. The draft is gone then.
   * @throws StoreUnavailableError the draft is still there
   */
  publish(key: string): Promise<void>;
  /** Removes the file. Nothing happens when it was published or discarded already. */
  discard(): Promise<void>;
}

/** The disk is full, the bucket cannot be reached, or access to it is refused: for an operator to end. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

const KEY_SEGMENT = '[a-z0-9][a-z0-9._-]{0,127}';
const KEY = new RegExp(`^${KEY_SEGMENT}(/${KEY_SEGMENT}){0,3}$`);

/**
 * Keys name files and are parts of URLs, so that they hold nothing that either reads in a way of its own.
 * @throws RangeError keys are made by us, so that a bad one is a bug
 */
export function checkKey(key: string): string {
  if (!KEY.test(key)) throw new RangeError('An object key must be up to four lower-case names with slashes.');
  return key;
}
