import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Exchange } from '../http/exchange.js';
import { HEADERS_FOR_ANY_PAGE } from '../http/static-file.js';

export interface FileAnswer {
  readonly etag: string;
  readonly contentType: string;
  readonly bytes: number;
  /** None for HEAD. */
  readonly body?: Readable;
}

const OK = 200;
const NOT_MODIFIED = 304;
/** A reader without progress for this time is considered disconnected. */
const SILENCE_TIMEOUT_MS = 10_000;
/** The largest file at a megabit per second. Slower readers would block the open files for everyone else. */
const ANSWER_TIMEOUT_MS = 300_000;
const FOR_EVER = 'public, max-age=31536000, immutable';

const FILE_HEADERS = [...HEADERS_FOR_ANY_PAGE, 'Cache-Control', FOR_EVER];

/** Resolves when the file is sent, its reader is disconnected, or the timeout has passed. */
export async function answerFile(
  exchange: Exchange,
  { etag, contentType, bytes, body }: FileAnswer,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<void> {
  const { outgoing: response } = exchange;
  if (response.headersSent || response.destroyed) {
    body?.destroy();
    return;
  }
  const headers = ['Content-Type', contentType, 'Content-Length', String(bytes)];
  begin(exchange, OK, etag, headers);
  if (body === undefined) {
    response.end();
    return;
  }
  response.setTimeout(SILENCE_TIMEOUT_MS, () => response.destroy());
  // A started answer can no longer be refused: its reader sees that it is truncated.
  const timer = setTimeout(() => response.destroy(), timeoutMs);
  await pipeline(body, response).catch(() => response.destroy());
  clearTimeout(timer);
}

export function answerNotModified(exchange: Exchange, etag: string): void {
  begin(exchange, NOT_MODIFIED, etag, []);
  exchange.outgoing.end();
}

function begin(exchange: Exchange, status: number, etag: string, more: readonly string[]): void {
  exchange.onAnswered(exchange, status);
  exchange.response.writeHead(status, [
    ...FILE_HEADERS,
    'X-Request-Id',
    exchange.requestId,
    'ETag',
    etag,
    ...more,
  ]);
}
