import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Answering, RequestHead } from '../../http/message.js';
import { FIRST_HEADERS } from '../../http/respond.js';

/** The request lines of the lane; any other is Node's. */
const PATHS = [
  '/api/v1/events/track',
  '/api/v1/events/batch',
  '/api/v1/partner-attribution/conversions',
] as const;
const LINES = PATHS.map((path) => ({ path, line: `POST ${path} HTTP/1.1\r\n` }));
/** Of a request that Node is to read, and of which every reader sees where it ends. */
const OTHER_LINE = /^(?:GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE) \/[\x21-\x7e]* HTTP\/1\.1\r\n/;
const WITHOUT_BODY = /^(?:GET|HEAD|OPTIONS|DELETE) /;

/**
 * Headers that change nothing of how a request is framed: those of clients, of browsers, and of proxies before us. Of any other
 * (`Transfer-Encoding`, `Expect`, `Upgrade`, one that nobody thought of) Node knows what it means.
 */
const HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'baggage',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'dnt',
  'forwarded',
  'host',
  'idempotency-key',
  'origin',
  'pragma',
  'priority',
  'referer',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-storage-access',
  'sec-gpc',
  'traceparent',
  'tracestate',
  'user-agent',
  'via',
  'x-api-key',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-scheme',
  'x-original-forwarded-for',
  'x-real-ip',
  'x-request-id',
  'x-scheme',
  'x-workspace-id',
]);

/** The same, but Node is to read the request: its routes know what they mean. */
const HEADERS_OF_OTHERS: ReadonlySet<string> = new Set([
  'access-control-request-headers',
  'access-control-request-method',
  'content-encoding',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'range',
  'upgrade-insecure-requests',
]);

/** Far below Node's bound of 16 KiB, so that both have the same opinion of what is too long. */
const MAX_HEAD_BYTES = 8 * 1024;
const HEAD_END = '\r\n\r\n';
/** Printable ASCII, neither empty nor with a blank at its ends, where readers could differ. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const LENGTH = /^(?:0|[1-9]\d{0,6})$/;

const NOTHING = Buffer.alloc(0);
const NONE: string[] = [];

/** A whole request that the lane has read: what routes may know of one, and its body. */
export class LaneRequest implements RequestHead {
  readonly method = 'POST';
  readonly httpVersion = '1.1';
  readonly url: string;
  /** In which Node tells repeated headers: here is none. */
  readonly rawHeaders: string[] = NONE;

  constructor(
    readonly socket: Socket,
    readonly path: string,
    readonly headers: IncomingHttpHeaders,
    private body: Buffer,
  ) {
    this.url = path;
  }

  /** The body, once: a waiting request does not keep it. */
  takeBody(): Buffer {
    const { body } = this;
    this.body = NOTHING;
    return body;
  }

  /** Keeps a body that nobody has taken yet, whose memory is read into again. */
  keepBody(): void {
    if (this.body.length > 0) this.body = Buffer.from(this.body);
  }
}

/**
 * Reads a chunk that is exactly one request of a strict subset of HTTP/1.1, in which every reader sees the same: one of the lane, or
 * one that is Node's. Undefined for anything else.
 */
export function readLaneRequest(socket: Socket, chunk: Buffer): LaneRequest | 'of-node' | undefined {
  const end = chunk.indexOf(HEAD_END, 0, 'latin1');
  if (end < 0 || end > MAX_HEAD_BYTES) return undefined;
  // Only of the head.
  const text = chunk.toString('latin1', 0, end + 2);
  const known = LINES.find(({ line }) => text.startsWith(line));
  const line = known?.line ?? OTHER_LINE.exec(text)?.[0];
  const headers = line === undefined ? undefined : readHeaders(chunk, text, line.length);
  if (headers === undefined) return undefined;
  const { connection, 'content-length': length } = headers;
  if (headers.host === undefined) return undefined;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined;
  if (length === undefined ? !WITHOUT_BODY.test(text) : !LENGTH.test(length)) return undefined;
  const start = end + HEAD_END.length;
  if (chunk.length - start !== Number(length ?? 0)) return undefined;
  if (known === undefined || headers[OF_NODE] !== undefined) return 'of-node';
  return new LaneRequest(socket, known.path, headers, chunk.subarray(start));
}

/** Instead of a header that only routes beyond the lane know; no header can have this name. */
const OF_NODE = '';

/** The header lines from here on, `text` being the chunk's head; undefined unless each is known, in its plainest form, and there once. */
function readHeaders(chunk: Buffer, text: string, start: number): IncomingHttpHeaders | undefined {
  const headers: Record<string, string> = {};
  for (let at = start; at < text.length;) {
    const lineEnd = text.indexOf('\r\n', at);
    const colon = text.indexOf(': ', at);
    if (colon < 0 || colon > lineEnd) return undefined;
    const name = text.slice(at, colon).toLowerCase();
    // A text of its own: an id or a token may outlive its request, and a part of the head would keep all of it.
    const value = chunk.toString('latin1', colon + 2, lineEnd);
    if (headers[name] !== undefined || !VALUE.test(value)) return undefined;
    if (!HEADERS.has(name)) {
      if (!HEADERS_OF_OTHERS.has(name)) return undefined;
      headers[OF_NODE] = name;
    }
    headers[name] = value;
    at = lineEnd + 2;
  }
  return headers;
}

/**
 * The answer to a request of the lane, in the bytes that Node would write. `finished`, `_last` and `emit` are what Node's server uses
 * of the answer under way on a connection: an unfinished one keeps it open at a stop, the last one closes it behind itself (its
 * client has closed its side), and its timeout is the answer's.
 */
export class LaneResponse implements Answering {
  headersSent = false;
  shouldKeepAlive = true;
  finished = false;
  _last = false;
  private head = '';
  private onTimeout: (() => void) | undefined;
  private onClose: (() => void) | undefined;

  constructor(
    readonly socket: Socket,
    private readonly keepAlive: string,
    private readonly onWritten: () => void,
  ) {}

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  get hasOwnTimeout(): boolean {
    return this.onTimeout !== undefined;
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.headersSent = true;
    const isUsual = FIRST_HEADERS.every((text, index) => headers[index] === text);
    const lines = isUsual ? FIRST_LINES + linesOf(headers, FIRST_HEADERS.length) : linesOf(headers);
    this.head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${lines}`;
  }

  end(body: string, encoding: 'latin1' | 'utf8'): void {
    if (!this.shouldKeepAlive) this._last = true;
    const last = this.shouldKeepAlive ? this.keepAlive : 'Connection: close\r\n\r\n';
    this.socket.write(`${this.head}Date: ${dateNow()}\r\n${last}${body}`, encoding, this.onWritten);
  }

  setTimeout(milliseconds: number, onTimeout: () => void): void {
    this.onTimeout = onTimeout;
    this.socket.setTimeout(milliseconds);
  }

  /** @throws Error for a second listener */
  once(_event: 'close', onClose: () => void): void {
    if (this.onClose !== undefined) throw new Error('One part waits for the end of an answer of the lane.');
    this.onClose = onClose;
  }

  /** A connection is not idle while its answer is under way: then it ends by the timeout of the answer, or by none. */
  emit(event: string): boolean {
    if (event !== 'timeout') return false;
    this.onTimeout?.();
    return true;
  }

  destroy(): void {
    this.socket.destroy();
  }

  close(): void {
    this.finished = true;
    this.onClose?.();
  }
}

function linesOf(headers: readonly string[], start = 0): string {
  let lines = '';
  for (let index = start; index < headers.length; index += 2) {
    lines += `${headers[index] ?? ''}: ${headers[index + 1] ?? ''}\r\n`;
  }
  return lines;
}

const FIRST_LINES = linesOf(FIRST_HEADERS);

const MS_PER_SECOND = 1_000;
let dateSecond = 0;
let dateText = '';

/** For the header `Date`: made once a second. */
function dateNow(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / MS_PER_SECOND);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(nowMs).toUTCString();
  }
  return dateText;
}
