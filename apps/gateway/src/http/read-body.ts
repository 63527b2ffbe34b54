import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type BrotliDecompress, createBrotliDecompress, createGunzip, type Gunzip } from 'node:zlib';
import { fail, type Result, succeed } from '@truetally/kernel';
import { type BodyBudget, headBytes } from './shares.js';
import type { RefusalName } from './errors.js';

export type BodyFault = Extract<
  RefusalName,
  | 'body-too-large'
  | 'broken-encoding'
  | 'incomplete-body'
  | 'not-utf-8'
  | 'slow-body'
  | 'unavailable'
  | 'unsupported-media-type'
>;

export interface BodyRules {
  /** Of the body as sent, and after decompression. */
  readonly limitBytes: number;
  readonly timeoutMs: number;
  readonly budget: BodyBudget;
  /** Who has a share of the budget for it. */
  readonly holders: readonly string[];
}

/**
 * Reads a whole body as text: within its limit, also after decompression, within its timeout, and valid
 * UTF-8. Never rejects: client errors are values.
 */
export function readBody(request: IncomingMessage, rules: BodyRules): Promise<Result<string, BodyFault>> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (!isKnownEncoding(encoding)) return Promise.resolve(fail('unsupported-media-type'));
  if (Number(request.headers['content-length'] ?? 0) > rules.limitBytes) {
    return Promise.resolve(fail('body-too-large'));
  }
  return new Promise((resolve) => collect(request, encoding, rules, resolve));
}

/** The same of a body that came whole and as it is. */
export function readWhole(
  bytes: Buffer,
  { limitBytes, budget, holders }: BodyRules,
): Result<string, BodyFault> {
  if (bytes.length > limitBytes) return fail('body-too-large');
  if (bytes.length === 0) return decode([bytes]);
  const hasRoom = budget.take(holders, bytes.length);
  budget.release(holders, bytes.length);
  return hasRoom ? decode([bytes]) : fail('unavailable');
}

type Encoding = 'identity' | 'gzip' | 'br';

function isKnownEncoding(encoding: string): encoding is Encoding {
  return encoding === 'identity' || encoding === 'gzip' || encoding === 'br';
}

function collect(
  request: IncomingMessage,
  encoding: Encoding,
  rules: BodyRules,
  resolve: (result: Result<string, BodyFault>) => void,
): void {
  const { limitBytes, timeoutMs, budget, holders } = rules;
  const inflater = encoding === 'identity' ? undefined : inflaterFor(encoding);
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  let keptBytes = 0;
  const baseBytes = headBytes(request) + (encoding === 'identity' ? 0 : INFLATER_BYTES[encoding]);
  let isSettled = false;

  const settle = (result: Result<string, BodyFault>): void => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    budget.release(holders, baseBytes + keptBytes);
    // A client that sends no more keeps the request and its listeners, and these with them.
    chunks.length = 0;
    request.off('data', onReceived).off('close', onClose).off('error', onClose);
    if (inflater !== undefined) request.unpipe(inflater);
    inflater?.destroy();
    if (!result.ok) discardRest(request);
    resolve(result);
  };
  const onReceived = (chunk: Buffer): void => {
    receivedBytes += chunk.length;
    if (receivedBytes > limitBytes) settle(fail('body-too-large'));
    else if (inflater === undefined) keep(chunk);
  };
  const keep = (chunk: Buffer): void => {
    if (isSettled) return;
    keptBytes += chunk.length;
    if (!budget.take(holders, chunk.length)) settle(fail('unavailable'));
    else if (keptBytes > limitBytes) settle(fail('body-too-large'));
    else chunks.push(chunk);
  };
  // A request also closes after its end, when a decompressor may still be working.
  const onClose = (): void => {
    if (!request.complete) settle(fail('incomplete-body'));
  };
  const timer = setTimeout(() => settle(fail('slow-body')), timeoutMs);

  request.on('data', onReceived).on('close', onClose).on('error', onClose);
  if (!budget.take(holders, baseBytes)) return settle(fail('unavailable'));
  if (inflater === undefined) {
    request.once('end', () => settle(decode(chunks)));
    return;
  }
  const settleWhenBothEnded = (): void => {
    if (!request.readableEnded || !inflater.readableEnded) return;
    settle(inflater.bytesWritten < receivedBytes ? fail('broken-encoding') : decode(chunks));
  };
  request.once('end', settleWhenBothEnded);
  inflater.once('end', () => {
    // Bytes after the encoded text must be read, or the connection's next request would wait for ever.
    request.unpipe(inflater).resume();
    settleWhenBothEnded();
  });
  inflater.on('data', keep).on('error', () => settle(fail('broken-encoding')));
  request.pipe(inflater);
}

/**
 * Memory of a decompressor besides its output: window, input and output buffers, and Brotli's tables. Without
 * counting it, clients that start many compressed bodies and send nothing more would get it for free.
 */
const INFLATER_BYTES = { gzip: 64 * 1024, br: 256 * 1024 } as const;

function inflaterFor(encoding: 'gzip' | 'br'): Gunzip | BrotliDecompress {
  return encoding === 'gzip' ? createGunzip() : createBrotliDecompress();
}

function decode(chunks: readonly Buffer[]): Result<string, BodyFault> {
  const [first] = chunks;
  const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  return isUtf8(whole) ? succeed(whole.toString('utf8')) : fail('not-utf-8');
}

/** Of a refused body, and above the largest accepted one: a client reads our answer only after sending. */
const MAX_DISCARDED_BYTES = 40 * 1024 * 1024;

/**
 * Reads and discards the rest, so that the client reads our answer instead of getting a reset; above the
 * bound the connection is closed. The server's request timeout ends a slow one.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let discardedBytes = 0;
  request.on('data', (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes > MAX_DISCARDED_BYTES) request.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}

/** Of the bodies that a route without an upload takes, some of them only where they belong. */
const MEDIA_TYPES = ['application/json', 'application/merge-patch+json', 'text/plain'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

const CHARSET = /^charset\s*=\s*(?:"([^"]*)"|([^"\s]*))$/i;

/**
 * The media type of a readable body, or undefined: JSON or a beacon's text, in UTF-8. A missing Content-Type
 * is not guessed.
 */
export function mediaTypeOf(header: string | undefined): MediaType | undefined {
  if (header === 'application/json') return header;
  if (header === undefined) return undefined;
  const [name = '', ...parameters] = header.split(';').map((part) => part.trim());
  const mediaType = MEDIA_TYPES.find((known) => known === name.toLowerCase());
  return parameters.every(isUnderstood) ? mediaType : undefined;
}

/** A parameter that changes the decoding is refused unless it is UTF-8; others do not matter. */
function isUnderstood(parameter: string): boolean {
  const charset = CHARSET.exec(parameter);
  if (charset === null) return !/^charset\b/i.test(parameter);
  const name = (charset[1] ?? charset[2] ?? '').toLowerCase();
  return name === 'utf-8' || name === 'utf8';
}
