import { createInterface } from 'node:readline';
import {
  decodeUploadPiece,
  type UploadPiece,
  UPLOADS_FOLDER,
  uploadSealContext,
} from '@truetally/contracts/publisher';
import type { KeyringFile } from '@truetally/keyring';
import type { ObjectStore } from '@truetally/object-store';

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

/** Pieces are ASCII lines: one byte per character. */
const LINE_END_BYTES = 1;

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
    const lines = createInterface({ input: object.body, crlfDelay: Infinity });
    const pieces: UploadPiece[] = [];
    let { byte } = from;
    try {
      for await (const line of lines) {
        const piece = this.open(line, uploadId, from.piece + pieces.length);
        if (piece === undefined) return undefined;
        pieces.push(piece);
        byte += line.length + LINE_END_BYTES;
        if (pieces.length === count) break;
      }
    } finally {
      lines.close();
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

  private open(line: string, uploadId: string, piece: number): UploadPiece | undefined {
    const [keyId = '', sealed = ''] = line.split(' ');
    const context = uploadSealContext(uploadId, piece);
    const opened = this.keys.keyring.open({ keyId, sealed: Buffer.from(sealed, 'base64') }, context);
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
