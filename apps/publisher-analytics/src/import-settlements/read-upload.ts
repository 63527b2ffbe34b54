import { createInterface } from 'node:readline';
import {
  decodeUploadPiece,
  type UploadPiece,
  UPLOADS_FOLDER,
  uploadSealContext,
} from '@truetally/contracts/publisher';
import type { KeyringFile } from '@truetally/keyring';
import type { ObjectStore } from '@truetally/object-store';

/** What was read of an upload. */
export interface UploadPart {
  readonly pieces: readonly UploadPiece[];
  /** Whether there is more behind it. */
  readonly hasMore: boolean;
}

/** Uploads as the gateway left them in the object store, sealed. */
export class Uploads {
  constructor(
    private readonly store: ObjectStore,
    private readonly keys: Pick<KeyringFile, 'keyring'>,
  ) {}

  /**
   * Reads some pieces from a place on; those before it are passed over unopened.
   * @returns undefined when there is no such upload any more
   * @throws StoreUnavailableError; Error for what the gateway did not write
   */
  async read(uploadId: string, from: number, count: number): Promise<UploadPart | undefined> {
    const object = await this.store.open(keyOf(uploadId));
    if (object === undefined) return undefined;
    const lines = createInterface({ input: object.body, crlfDelay: Infinity });
    const pieces: UploadPiece[] = [];
    let at = 0;
    let hasMore = false;
    try {
      for await (const line of lines) {
        if (at === from + count) {
          hasMore = true;
          break;
        }
        if (at >= from) pieces.push(this.open(line, uploadId, at));
        at += 1;
      }
    } finally {
      lines.close();
      object.body.destroy();
    }
    return { pieces, hasMore };
  }

  /** Also succeeds when there is nothing to remove. */
  remove(uploadId: string): Promise<void> {
    return this.store.delete(keyOf(uploadId));
  }

  /** Removes uploads that no job can want any more: those whose job never began, or never ended. */
  async removeBefore(timeMs: number): Promise<void> {
    for await (const { key, storedAtMs } of this.store.list(UPLOADS_FOLDER)) {
      if (storedAtMs < timeMs) await this.store.delete(key);
    }
  }

  private open(line: string, uploadId: string, piece: number): UploadPiece {
    const [keyId = '', sealed = ''] = line.split(' ');
    const context = uploadSealContext(uploadId, piece);
    const opened = this.keys.keyring.open({ keyId, sealed: Buffer.from(sealed, 'base64') }, context);
    if (!opened.ok) throw new Error(`A piece of an upload cannot be opened: ${opened.error}.`);
    const read = decodeUploadPiece(opened.value);
    if (!read.ok) throw new Error(`A piece of an upload cannot be read: ${read.error}.`);
    return read.value;
  }
}

function keyOf(uploadId: string): string {
  return `${UPLOADS_FOLDER}/${uploadId}`;
}
