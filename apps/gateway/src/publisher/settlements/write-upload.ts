import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import {
  encodeUploadPiece,
  MAX_SETTLEMENT_ROWS,
  ROWS_PER_PIECE,
  type UploadRow,
  uploadSealContext,
} from '@truetally/contracts/publisher';
import type { Keyring } from '@truetally/keyring';
import { UploadRefusal } from './upload-refusal.js';

export interface WrittenUpload {
  readonly rows: number;
  /** Of its rows' content, hex: it identifies the file. */
  readonly sha256: string;
}

export interface UploadContent {
  readonly uploadId: string;
  readonly isChangeTimed: boolean;
  readonly rows: AsyncIterable<UploadRow>;
}

/**
 * Writes rows to a file as they arrive, sealed piece by piece, because they contain unencrypted click
 * references.
 * @throws UploadRefusal, errors of the rows, and disk errors
 */
export async function writeUpload(
  path: string,
  { uploadId, isChangeTimed, rows }: UploadContent,
  keyring: Keyring,
): Promise<WrittenUpload> {
  const file = await open(path, 'w');
  const hash = createHash('sha256');
  let waiting: UploadRow[] = [];
  let count = 0;
  let piece = 0;
  const write = async (): Promise<void> => {
    const text = encodeUploadPiece({ isChangeTimed, rows: waiting });
    hash.update(text);
    const { keyId, sealed } = keyring.seal(text, uploadSealContext(uploadId, piece));
    await file.appendFile(`${keyId} ${sealed.toString('base64')}\n`);
    waiting = [];
    piece += 1;
  };
  try {
    for await (const row of rows) {
      count += 1;
      if (count > MAX_SETTLEMENT_ROWS) {
        throw new UploadRefusal('broken-rules', { rows: [`must be at most ${MAX_SETTLEMENT_ROWS}`] });
      }
      waiting.push(row);
      if (waiting.length === ROWS_PER_PIECE) await write();
    }
    if (waiting.length > 0) await write();
  } finally {
    await file.close();
  }
  return { rows: count, sha256: hash.digest('hex') };
}
