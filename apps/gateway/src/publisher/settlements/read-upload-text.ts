import type { IncomingMessage } from 'node:http';
import { type BrotliDecompress, createBrotliDecompress, createGunzip, type Gunzip } from 'node:zlib';
import { SETTLEMENT_UPLOAD_LIMIT_BYTES } from '@truetally/contracts/publisher';
import type { Exchange } from '../../http/exchange.js';
import { UploadRefusal } from './upload-refusal.js';

/** Below the server's timeout of 30 s for a whole request, which began before it waited for its turn. */
const TIMEOUT_MS = 28_000;

/**
 * A body's text, piece by piece: within its limit, also after decompression, within its timeout, and valid
 * UTF-8. Only a piece of it is in memory. Its bytes are the exchange's.
 * @throws UploadRefusal
 */
export async function* readUploadText(
  exchange: Pick<Exchange, 'beganMs' | 'incoming' | 'receivedBytes'>,
): AsyncGenerator<string> {
  const { incoming: request } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > SETTLEMENT_UPLOAD_LIMIT_BYTES) throw TOO_LARGE();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let isLate = false;
  let received = 0;
  const source = inflated(request);
  const onReceived = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > SETTLEMENT_UPLOAD_LIMIT_BYTES) source.destroy(TOO_LARGE());
  };
  if (source !== request) request.on('data', onReceived);
  const timer = setTimeout(
    () => {
      isLate = true;
      // The request itself is not destroyed, because it must be answered.
      if (source === request) request.emit('error', new UploadRefusal('slow-body'));
      else source.destroy(new UploadRefusal('slow-body'));
    },
    Math.max(1, exchange.beganMs + TIMEOUT_MS - performance.now()),
  );
  try {
    for await (const chunk of source.iterator({
      destroyOnReturn: source !== request,
    }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      exchange.receivedBytes = bytes;
      if (bytes > SETTLEMENT_UPLOAD_LIMIT_BYTES) throw TOO_LARGE();
      const text = decode(() => decoder.decode(chunk, { stream: true }));
      if (text !== '') yield text;
    }
    // Rows behind the compressed text would be missing without a word.
    if ('bytesWritten' in source && source.bytesWritten < received)
      throw new UploadRefusal('broken-encoding');
    if (!request.complete) throw new UploadRefusal('incomplete-body');
    const rest = decode(() => decoder.decode());
    if (rest !== '') yield rest;
  } catch (error) {
    if (error instanceof UploadRefusal) throw error;
    if (isLate) throw new UploadRefusal('slow-body');
    throw new UploadRefusal(source === request ? 'incomplete-body' : 'broken-encoding');
  } finally {
    clearTimeout(timer);
    request.off('data', onReceived);
    if (source !== request) request.unpipe();
  }
}

function inflated(request: IncomingMessage): BrotliDecompress | Gunzip | IncomingMessage {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  switch (encoding) {
    case 'identity':
      return request;
    case 'gzip':
      return request.pipe(createGunzip());
    case 'br':
      return request.pipe(createBrotliDecompress());
    default:
      throw new UploadRefusal('unsupported-media-type');
  }
}

function decode(read: () => string): string {
  try {
    return read();
  } catch {
    throw new UploadRefusal('not-utf-8');
  }
}

function TOO_LARGE(): UploadRefusal {
  return new UploadRefusal('body-too-large');
}
