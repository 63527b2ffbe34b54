import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeBehindAnswers, Connections, isAnswering, responseOn } from '@truetally/platform';
import { REFUSALS, type RefusalName } from '../http/errors.js';
import { requestIdFrom } from '../http/exchange.js';
import { BodyBudget, headBytes } from '../http/shares.js';

export interface ServerLimits {
  /** Until a request's headers have arrived. */
  readonly headersTimeoutMs: number;
  /** Until a request has arrived with its whole body; the body reader's timeout is shorter. */
  readonly requestTimeoutMs: number;
  /** How often the two timeouts above are checked. */
  readonly timeoutCheckMs: number;
  /** Idle timeout of a connection, also before its first request. */
  readonly keepAliveTimeoutMs: number;
  /** Of one request, including its request line. */
  readonly maxHeaderBytes: number;
  /** Lines of a request's head: each costs a hundred bytes beside its own. */
  readonly maxHeaders: number;
  readonly maxConnections: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  timeoutCheckMs: 1_000,
  // Longer than that of load balancers.
  keepAliveTimeoutMs: 65_000,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  maxConnections: 20_000,
};

const LISTEN_BACKLOG = 4_096;

/** The public HTTP server with its limits; refusals below HTTP also have the envelope. */
export function createEdgeServer(limits: ServerLimits = SERVER_LIMITS): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    noDelay: true,
    // Node would answer 400 without our envelope, which a request without one gets from `door/steps/form.ts`.
    requireHostHeader: false,
  });
  server.maxHeadersCount = limits.maxHeaders;
  server.maxConnections = limits.maxConnections + CLOSING_CONNECTIONS;
  // A client may close its sending side after its last request, and still read the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  keepCount(server, limits.maxConnections);
  const refusing = new RawRefusals();
  server.on('request', (request: IncomingMessage) => refusing.begun(request));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (isTimeout(error) && hasSentNothing(socket)) {
      keepInSilence(socket, limits, () => refusing.hasBegun(socket));
    } else {
      refusing.refuse(socket, isTimeout(error) ? 'slow-body' : 'malformed-request');
    }
  });
  server.on('connect', (_request, socket) => refusing.refuse(socket, 'malformed-request'));
  // The following bytes belong to an unsupported protocol: none of them may be parsed as a request.
  server.on('upgrade', (_request, socket) => refusing.refuse(socket, 'malformed-request'));
  // A body is asked for when it is read: not before its credential and its length are judged. Node closes the connection otherwise.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    server.emit('request', request, response);
  });
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

/** Of the time that a process has to stop, what the gateway needs after its last answer. */
const AFTER_ANSWERS_MS = 4_000;

/** How long answers may take after a stop signal, of the time that the process has in all. */
export function answersTimeoutMs(shutdownTimeoutMs: number): number {
  return Math.max(shutdownTimeoutMs - AFTER_ANSWERS_MS, shutdownTimeoutMs / 2);
}

/**
 * Stops accepting connections, and resolves when every current answer is sent, or at the timeout. A connection whose
 * next request has not begun by then is no reason to wait: Node checks no headers any more.
 */
export function drain(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const silent = setTimeout(() => closeUnanswering(server), Math.min(SILENT_AT_STOP_MS, timeoutMs));
    const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
    closeBehindAnswers(server, CONNECTIONS.get(server) ?? [], () => {
      clearTimeout(silent);
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Until the headers of a request have arrived that has begun before the signal. */
const SILENT_AT_STOP_MS = 6_000;
/** Beyond those that may be open: of their largest holders, on the way to their end. */
const CLOSING_CONNECTIONS = 1_000;
const CONNECTIONS = new WeakMap<Server, Connections>();

function keepCount(server: Server, most: number): void {
  const connections = new Connections(most, isAnswering);
  CONNECTIONS.set(server, connections);
  server.on('connection', (socket) => connections.add(socket));
}

function closeUnanswering(server: Server): void {
  for (const socket of CONNECTIONS.get(server) ?? []) {
    if (!isAnswering(socket)) socket.destroy();
  }
}

function isTimeout(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

function hasSentNothing(socket: Duplex): socket is Socket {
  return socket instanceof Socket && socket.bytesRead === 0;
}

/**
 * A client may open connections in advance. An answer on one would be taken for that to its next request, so
 * that it is closed silently, as late as an idle connection. Node checks it again only when a request begins, and
 * empty lines begin none.
 */
function keepInSilence(socket: Socket, limits: ServerLimits, hasBegun: () => boolean): void {
  const close = (): void => {
    if (!hasBegun()) socket.destroy();
  };
  const closeOrWait = (): void => {
    if (socket.bytesRead === 0) close();
    else timer = setTimeout(close, limits.headersTimeoutMs).unref();
  };
  let timer = setTimeout(closeOrWait, limits.keepAliveTimeoutMs - limits.headersTimeoutMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Refuses malformed requests below HTTP. Complete earlier requests of the connection get their answers first,
 * and an answered request gets no second answer.
 */
class RawRefusals {
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
    // Node takes its own listener off a connection that asks for another protocol: its reset would end the process.
    socket.on('error', ignore);
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

function ignore(): void {
  // The connection is closed in any case.
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

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export interface TurnLimits {
  /** Requests of one connection that wait for earlier ones; one more closes the connection. */
  readonly perConnection: number;
  /** Of what has arrived behind requests under way, on all connections; more closes a connection. */
  readonly inAllBytes: number;
}

const TURN_LIMITS: TurnLimits = { perConnection: 256, inAllBytes: 64 * 1024 * 1024 };
/** The most that is read of a connection at once, and so the most that came of a waiting request's body. */
const CHUNK_BYTES = 64 * 1024;

/** What a request holds in memory that waits for its turn. */
function heldBytes(request: IncomingMessage): number {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  const body = coding === undefined ? Math.min(Number(length), CHUNK_BYTES) : CHUNK_BYTES;
  return headBytes(request) + body;
}

interface Ahead {
  readonly requests: number;
  readonly bytes: number;
}

const NONE: Ahead = { requests: 0, bytes: 0 };

/**
 * One request at a time per connection: a client may send many without reading an answer, and each answer
 * that is built early stays in memory. The next request starts when the previous answer is sent.
 */
export class Turns {
  /** For what has arrived behind requests under way, whoever reads it. */
  readonly room: BodyBudget;
  private readonly waiting = new WeakMap<Socket, Ahead>();

  constructor(
    private readonly handle: Handle,
    private readonly limits: TurnLimits = TURN_LIMITS,
  ) {
    this.room = new BodyBudget(limits.inAllBytes, limits.inAllBytes);
  }

  /** Costs nothing for a connection that sends one request after the other. */
  readonly take: Handle = (request, response) => {
    // Node gives a response its socket when the previous one is sent.
    if (response.socket !== null) return this.handle(request, response);
    const { socket } = request;
    if (!this.waiting.has(socket)) socket.once('close', () => this.forget(socket));
    if (this.requestsOf(socket) === 0) socket.pause();
    const bytes = heldBytes(request);
    const hasRoom = this.room.take([], bytes);
    this.count(socket, 1, bytes);
    if (!hasRoom || this.requestsOf(socket) > this.limits.perConnection) return void socket.destroy();
    response.once('socket', () => {
      this.room.release([], bytes);
      this.count(socket, -1, -bytes);
      if (this.requestsOf(socket) === 0) socket.resume();
      this.handle(request, response);
    });
  };

  private requestsOf(socket: Socket): number {
    return this.waiting.get(socket)?.requests ?? 0;
  }

  private count(socket: Socket, requests: number, bytes: number): void {
    const before = this.waiting.get(socket) ?? NONE;
    this.waiting.set(socket, { requests: before.requests + requests, bytes: before.bytes + bytes });
  }

  /** Requests of a closed connection are dropped. */
  private forget(socket: Socket): void {
    this.room.release([], this.waiting.get(socket)?.bytes ?? 0);
    this.waiting.delete(socket);
  }
}
