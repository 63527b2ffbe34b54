import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { closeBehindAnswers, Connections } from '@truetally/platform';

/** The heap of the manifests holds so many connections with all that may wait on each. */
const MOST_CONNECTIONS = 1_000;
/** Requests of one connection behind an answer that is not sent yet. No browser sends any before it has its answer. */
const MOST_WAITING = 4;
/** Of its headers, too. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Of a connection on which nothing moves: its client reads no answer, or asks for nothing. */
const SILENCE_TIMEOUT_MS = 60_000;
const TIMEOUT_CHECK_MS = 1_000;
/** Longer than that of load balancers, which would send a request on a connection that is just being closed. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CONNECTIONS = new WeakMap<Server, Connections>();

/** The public server of the pages: whatever clients do or leave undone costs it a bounded share of its memory. */
export function createPageServer(listener: RequestListener, mostConnections = MOST_CONNECTIONS): Server {
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, change: 1 | -1): number => {
    const now = (waiting.get(socket) ?? 0) + change;
    waiting.set(socket, now);
    return now;
  };
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    (request, response) => {
      const { socket } = request;
      // Node gives a response its socket when the previous one is sent.
      if (response.socket === null) {
        if (count(socket, 1) > MOST_WAITING) return void socket.destroy();
        response.once('socket', () => count(socket, -1));
      }
      listener(request, response);
    },
  );
  // Nobody who comes is refused. An answer that is not read holds a place as long as its client likes, and saves none.
  const connections = new Connections(mostConnections, () => false);
  CONNECTIONS.set(server, connections);
  server.on('connection', (socket) => connections.add(socket));
  server.setTimeout(SILENCE_TIMEOUT_MS);
  return server;
}

/** Browsers open connections in advance, on which no request may ever come: they are closed at the timeout, as are slow readers. */
export function drain(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
    closeBehindAnswers(server, CONNECTIONS.get(server) ?? [], () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
