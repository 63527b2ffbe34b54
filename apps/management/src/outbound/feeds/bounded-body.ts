import { createGunzip, type Gunzip } from 'node:zlib';
import { FeedError } from './feed-error.js';
import type { FeedLimits } from './feed-limits.js';

type Bytes = AsyncIterable<Buffer>;

/** A file of a web server may be packed, and packed again on its way. */
const MAX_LAYERS = 2;
const GZIP = [0x1f, 0x8b] as const;
/** Catalogues pack 5 to 50 times. What is packed more tightly is a bomb, once it has cost some seconds. */
const MOST_TIMES_PACKED = 250;
const BOMB_FROM_BYTES = 64 * 1_024 * 1_024;

/**
 * The plain bytes of a feed, with bounds: of its size before and after each unpacking, and of a server's slowness.
 * @throws FeedError while it is read
 */
export async function* plainBytes(body: Bytes, limits: FeedLimits): AsyncGenerator<Buffer> {
  let bytes: Bytes = withinSize(atPace(body, limits), limits);
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const { isPacked, whole } = await sniffed(bytes);
    if (!isPacked) return yield* whole;
    bytes = withinSize(unpacked(whole), limits);
  }
  yield* bytes;
}

async function* atPace(body: Bytes, limits: FeedLimits): AsyncGenerator<Buffer> {
  let waitedMs = 0;
  let received = 0;
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const from = performance.now();
      const { done, value } = await chunks.next();
      waitedMs += performance.now() - from;
      if (done === true) return;
      received += value.length;
      const isSlow = waitedMs > limits.patienceMs && received < (limits.bytesPerSecond * waitedMs) / 1_000;
      if (isSlow || waitedMs > limits.waitedMs)
        throw new FeedError('The feed arrives too slowly to be read.');
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

async function* withinSize(body: Bytes, { maxBytes }: FeedLimits): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FeedError(tooLarge(maxBytes));
    yield chunk;
  }
}

export function tooLarge(maxBytes: number): string {
  return `The feed is larger than ${maxBytes} bytes.`;
}

/** What begins like gzip is, whatever headers and names say. */
async function sniffed(bytes: Bytes): Promise<{ readonly isPacked: boolean; readonly whole: Bytes }> {
  const chunks = bytes[Symbol.asyncIterator]();
  let begun = Buffer.alloc(0);
  while (begun.length < GZIP.length) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    begun = Buffer.concat([begun, value]);
  }
  const isPacked = GZIP.every((byte, at) => begun[at] === byte);
  return { isPacked, whole: behind(begun, chunks) };
}

async function* behind(begun: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (begun.length > 0) yield begun;
    for (;;) {
      const { done, value } = await rest.next();
      if (done === true) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}

async function* unpacked(packed: Bytes): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  let [fault, plainBytes]: [unknown, number] = [undefined, 0];
  const done = pour(packed, gunzip).catch((error: unknown) => {
    fault = error;
    gunzip.destroy();
  });
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      plainBytes += chunk.length;
      if (plainBytes > BOMB_FROM_BYTES && plainBytes > MOST_TIMES_PACKED * gunzip.bytesWritten)
        throw new FeedError(`The feed is packed more than ${MOST_TIMES_PACKED} times.`);
      yield chunk;
    }
    await done;
  } catch (error) {
    await done;
    throw error instanceof FeedError ? error : faultOf(fault ?? error);
  } finally {
    gunzip.destroy();
    await done;
  }
  if (fault !== undefined) throw fault;
}

/**
 * By hand, because a stream ends without a word at a zero behind a gzip member, whatever follows. To fill a file up with zeros is
 * usual; of anything else behind them rows would be lost. @throws FeedError for it
 */
async function pour(packed: Bytes, gunzip: Gunzip): Promise<void> {
  const over = new Promise<void>((resolve) => gunzip.once('end', resolve).once('close', resolve));
  let received = 0;
  for await (const chunk of packed) {
    if (!gunzip.readableEnded)
      await Promise.race([over, new Promise((resolve) => gunzip.write(chunk, resolve))]);
    if (gunzip.destroyed && !gunzip.readableEnded) return;
    received += chunk.length;
    const left = Math.min(chunk.length, received - gunzip.bytesWritten);
    if (chunk.subarray(chunk.length - left).some((byte) => byte !== 0))
      throw new FeedError('The feed has other bytes behind its gzip data.');
  }
  gunzip.end();
}

function faultOf(error: unknown): unknown {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  const code = isCoded ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') return new FeedError('The feed ends in the middle of its gzip data.', true);
  if (code.startsWith('Z_')) return new FeedError('The feed is not valid gzip.');
  return error;
}
