import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { REFUSALS, type RefusalName } from './errors.js';
import { requestIdFrom } from './request-id.js';

const SERVER_LIMITS = {
  /** Until a request's headers are there. */
  headersTimeoutMs: 10_000,
  /** Until a request is there with all of its body; the body reader gives up before. */
  requestTimeoutMs: 30_000,
  /** How long an idle connection is kept: longer than load balancers keep theirs. */
  keepAliveTimeoutMs: 65_000,
  /** Of one request, its line included. */
  maxHeaderBytes: 16 * 1024,
  maxConnections: 20_000,
} as const;

/** How often the two timeouts above are looked at. */
const TIMEOUT_CHECK_MS = 1_000;
const LISTEN_BACKLOG = 4_096;

/** The public HTTP server with its limits; what it refuses below HTTP it answers in the envelope as well. */
export function createEdgeServer(): Server {
  const limits = SERVER_LIMITS;
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    noDelay: true,
    // Node would answer 400 without our envelope; nothing here depends on the name of the host.
    requireHostHeader: false,
  });
  server.maxConnections = limits.maxConnections;
  // A client that has asked everything may end its side, and still reads its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const refusing = new RawRefusals();
  server.on('request', (request: IncomingMessage) => refusing.begun(request));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refusing.refuse(socket, isTimeout(error) ? 'slow-body' : 'malformed-request');
  });
  server.on('connect', (_request, socket) => refusing.refuse(socket, 'malformed-request'));
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = rawRefusal('malformed-request', request.headers['x-request-id']);
    response.writeHead(status, headers);
    response.end(body);
  });
  return server;
}

export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: LISTEN_BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Whoever has not sent the rest of a request by then will not get an answer. */
const DRAIN_TIMEOUT_MS = 6_000;

/** Takes no new connection, and resolves when every answer under way is out, or its time is. */
export function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function isTimeout(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

/**
 * Refuses what is no request, below HTTP: whole requests that came before it on the same connection get their answers
 * first, and a request that has its answer gets no second one.
 */
class RawRefusals {
  /** The request that began last on each connection. */
  private readonly latest = new WeakMap<Duplex, IncomingMessage>();
  /** Each connection is refused once, whatever else comes on it. */
  private readonly refused = new WeakSet<Duplex>();

  begun(request: IncomingMessage): void {
    this.latest.set(request.socket, request);
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

/** Node keeps the response that a socket is carrying on the socket, and after it the next one's. */
function responseOn(socket: Duplex): ServerResponse | undefined {
  const carried: unknown = '_httpMessage' in socket ? socket._httpMessage : undefined;
  return carried instanceof ServerResponse ? carried : undefined;
}

function writeRaw(socket: Duplex, name: RefusalName): void {
  const { status, headers, body } = rawRefusal(name, undefined);
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
  socket.end(
    [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, 'Connection: close', '', body].join(
      '\r\n',
    ),
  );
}

interface RawRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function rawRefusal(name: RefusalName, requestIdHeader: string | string[] | undefined): RawRefusal {
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
