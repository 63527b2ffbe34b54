import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { rawRefusal, RawRefusals } from './raw-refusals.js';

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
  readonly maxConnections: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  timeoutCheckMs: 1_000,
  // Longer than that of load balancers.
  keepAliveTimeoutMs: 65_000,
  maxHeaderBytes: 16 * 1024,
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
    // Node would answer 400 without our envelope; nothing here depends on the host's name.
    requireHostHeader: false,
  });
  server.maxConnections = limits.maxConnections;
  // A client may close its sending side after its last request, and still read the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
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

/** A request that is still incomplete by then gets no answer. */
const DRAIN_TIMEOUT_MS = 6_000;

/** Stops accepting connections, and resolves when every current answer is sent, or at the timeout. */
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
