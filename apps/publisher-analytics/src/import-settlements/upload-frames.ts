import { FRAME_HEADER, FRAME_HEADER_BYTES, SEALED_PIECE_LIMIT_BYTES } from '@truetally/contracts/publisher';
import type { Sealed } from '@truetally/keyring';

const LINE_FEED = 0x0a;

/** A sealed piece of an upload. */
export interface Frame {
  readonly sealed: Sealed;
  /** With its header. */
  readonly bytes: number;
}

/**
 * Reads frame by frame; never more than one and a chunk of the store's is in memory.
 * @throws Error for a frame that is longer than any that the gateway writes
 */
export async function* framesOf(body: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let read: Buffer[] = [];
  let length = 0;
  let wanted = 1;
  for await (const chunk of body) {
    read.push(chunk);
    length += chunk.length;
    // A frame arrives in many chunks: they are joined when it may be complete.
    while (length >= wanted) {
      const [only = chunk] = read;
      const whole = read.length === 1 ? only : Buffer.concat(read, length);
      const header = headerOf(whole);
      const bytes = header === undefined ? undefined : header.bytes + header.sealedBytes;
      wanted = bytes ?? length + 1;
      read = [whole];
      if (header === undefined || bytes === undefined || length < bytes) continue;
      yield { sealed: { keyId: header.keyId, sealed: whole.subarray(header.bytes, bytes) }, bytes };
      read = [whole.subarray(bytes)];
      length -= bytes;
      wanted = 1;
    }
  }
  if (length > 0) throw new Error('A frame of an upload is incomplete.');
}

function headerOf(
  bytes: Buffer,
): { readonly keyId: string; readonly bytes: number; readonly sealedBytes: number } | undefined {
  const end = bytes.subarray(0, FRAME_HEADER_BYTES).indexOf(LINE_FEED);
  if (end === -1 && bytes.length < FRAME_HEADER_BYTES) return undefined;
  const [, keyId, sealed] = FRAME_HEADER.exec(bytes.toString('latin1', 0, Math.max(end, 0))) ?? [];
  const sealedBytes = Number(sealed);
  if (keyId === undefined || !(sealedBytes <= SEALED_PIECE_LIMIT_BYTES)) {
    throw new Error('An upload has a frame that the gateway did not write.');
  }
  return { keyId, bytes: end + 1, sealedBytes };
}
