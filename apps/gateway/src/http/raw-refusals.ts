import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { REFUSALS, type RefusalName } from './errors.js';
import { requestIdFrom } from './request-id.js';

/**
 * Refuses malformed requests below HTTP. Complete earlier requests of the connection get their answers first,
 * and an answered request gets no second answer.
 */
export class RawRefusals {
  /** The latest request on each connection. */
  private readonly latest = new WeakMap<Duplex, IncomingMessage>();
  /** Each connection is refused a single time, whatever else arrives on it. */
  private readonly refused = new WeakSet<Duplex>();

  begun(request: IncomingMessage): void {
    this.latest.set(request.socket, request);
  }

  /** Whether the connection has sent a complete request header. */
  hasBegun(socket: Duplex): boolean {
    return this.latest.has(socket);
  }

  refuse(socket: Duplex, name: RefusalName): void {
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    this.refuseInTurn(socket, name);
  }

  private refuseInTurn(socket: Duplex, name: RefusalName): void {
    if (!socket.writable) return void socket.destroy();
    const latest = this.latest.get(socket);
    const broken = latest?.complete === false ? latest : undefined;
    const carried = responseOn(socket);
    if (carried !== undefined && carried.req !== broken) {
      carried.once('finish', () => this.refuseInTurn(socket, name));
      return;
    }
    const isAnswered = broken !== undefined && (carried === undefined || carried.headersSent);
    if (isAnswered) socket.destroy();
    else writeRaw(socket, name);
  }
}

/** Node stores the current response of a socket on the socket, and later the next one. */
function responseOn(socket: Duplex): ServerResponse | undefined {
  const carried: unknown = '_httpMessage' in socket ? socket._httpMessage : undefined;
  return carried instanceof ServerResponse ? carried : undefined;
}

/** A refused client that does not close its side within this time loses the connection. */
const LINGER_MS = 5_000;

function writeRaw(socket: Duplex, name: RefusalName): void {
  const { status, headers, body } = rawRefusal(name, undefined);
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  socket.end(
    [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, 'Connection: close', '', body].join(
      '\r\n',
    ),
  );
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

interface RawRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function rawRefusal(name: RefusalName, requestIdHeader: string | string[] | undefined): RawRefusal {
  const { status, code, message } = REFUSALS[name];
  const requestId = requestIdFrom(requestIdHeader);
  const body = JSON.stringify({
    success: false,
    error: { code, message, details: {} },
    meta: { timestamp: new Date().toISOString(), request_id: requestId },
  });
  const headers = {
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  };
  return { status, headers, body };
}
