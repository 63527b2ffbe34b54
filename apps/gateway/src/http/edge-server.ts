import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { rawRefusal, RawRefusals } from './raw-refusals.js';

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
    if (isTimeout(error) && hasSentNothing(socket)) keepInSilence(socket);
    else refusing.refuse(socket, isTimeout(error) ? 'slow-body' : 'malformed-request');
  });
  server.on('connect', (_request, socket) => refusing.refuse(socket, 'malformed-request'));
  // What follows belongs to a protocol that is not spoken here: none of it may be taken for a request.
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

function hasSentNothing(socket: Duplex): socket is Socket {
  return socket instanceof Socket && socket.bytesRead === 0;
}

/**
 * A client may open connections ahead. An answer on one would be read as that to its next request, so that it is closed
 * without a word, as late as a connection that falls idle.
 */
function keepInSilence(socket: Socket): void {
  const restMs = SERVER_LIMITS.keepAliveTimeoutMs - SERVER_LIMITS.headersTimeoutMs;
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, restMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
