import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import {
  ENCODED_UPLOAD_LIMIT_BYTES,
  MAX_SETTLEMENT_ROWS,
  PieceText,
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
 * references. Only one piece of it is in memory.
 * @throws UploadRefusal, errors of the rows, and disk errors
 */
export async function writeUpload(
  path: string,
  { uploadId, isChangeTimed, rows }: UploadContent,
  keyring: Keyring,
): Promise<WrittenUpload> {
  const file = await open(path, 'w');
  const hash = createHash('sha256');
  const waiting = new PieceText(isChangeTimed);
  let count = 0;
  let piece = 0;
  let bytes = 0;
  const write = async (): Promise<void> => {
    const text = waiting.take();
    const { keyId, sealed } = keyring.seal(text, uploadSealContext(uploadId, piece));
    hash.update(text);
    bytes += sealed.length;
    if (bytes > ENCODED_UPLOAD_LIMIT_BYTES) throw new UploadRefusal('body-too-large');
    await file.appendFile(`${keyId} ${sealed.length}\n`);
    await file.appendFile(sealed);
    piece += 1;
  };
  try {
    for await (const row of rows) {
      count += 1;
      if (count > MAX_SETTLEMENT_ROWS) {
        throw new UploadRefusal('broken-rules', { rows: [`must be at most ${MAX_SETTLEMENT_ROWS}`] });
      }
      if (waiting.add(row)) continue;
      await write();
      if (!waiting.add(row)) throw new Error('A row of bounded fields fits into a piece.');
    }
    if (!waiting.isEmpty) await write();
  } finally {
    await file.close();
  }
  return { rows: count, sha256: hash.digest('hex') };
}
