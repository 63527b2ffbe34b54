import {
  decodeUploadPiece,
  type UploadPiece,
  UPLOADS_FOLDER,
  uploadSealContext,
} from '@truetally/contracts/publisher';
import type { KeyringFile, Sealed } from '@truetally/keyring';
import type { ObjectStore } from '@truetally/object-store';
import { framesOf } from './upload-frames.js';

/** The start of a piece. */
export interface UploadPlace {
  readonly piece: number;
  readonly byte: number;
}

/** A part of an upload. */
export interface UploadPart {
  readonly pieces: readonly UploadPiece[];
  /** The next piece; undefined at the end. */
  readonly next: UploadPlace | undefined;
}

/** Sealed uploads in the object store, written by the gateway. */
export class Uploads {
  constructor(
    private readonly store: ObjectStore,
    private readonly keys: Pick<KeyringFile, 'keyring'>,
  ) {}

  /**
   * Reads some pieces from a position on.
   * @returns undefined when the upload no longer exists, or its key was retired
   * @throws StoreUnavailableError; Error for content that the gateway did not write
   */
  async read(uploadId: string, from: UploadPlace, count: number): Promise<UploadPart | undefined> {
    const object = await this.store.open(keyOf(uploadId), from.byte);
    if (object === undefined) return undefined;
    const pieces: UploadPiece[] = [];
    let { byte } = from;
    try {
      for await (const { sealed, bytes } of framesOf(object.body)) {
        const piece = this.open(sealed, uploadId, from.piece + pieces.length);
        if (piece === undefined) return undefined;
        pieces.push(piece);
        byte += bytes;
        if (pieces.length === count) break;
      }
    } finally {
      object.body.destroy();
    }
    const piece = from.piece + pieces.length;
    return { pieces, next: byte < object.bytes ? { piece, byte } : undefined };
  }

  /** Also succeeds for a missing upload. */
  remove(uploadId: string): Promise<void> {
    return this.store.delete(keyOf(uploadId));
  }

  /** Removes abandoned uploads: their job never started, or never finished. */
  async removeBefore(timeMs: number): Promise<void> {
    for await (const { key, storedAtMs } of this.store.list(UPLOADS_FOLDER)) {
      if (storedAtMs < timeMs) await this.store.delete(key);
    }
  }

  private open(sealed: Sealed, uploadId: string, piece: number): UploadPiece | undefined {
    const opened = this.keys.keyring.open(sealed, uploadSealContext(uploadId, piece));
    if (!opened.ok && opened.error === 'unknown-key') return undefined;
    if (!opened.ok) throw new Error(`A piece of an upload cannot be opened: ${opened.error}.`);
    const read = decodeUploadPiece(opened.value);
    if (!read.ok) throw new Error(`A piece of an upload cannot be read: ${read.error}.`);
    return read.value;
  }
}

function keyOf(uploadId: string): string {
  return `${UPLOADS_FOLDER}/${uploadId}`;
}
