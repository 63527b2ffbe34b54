import { type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/**
 * Stops listening, and closes what is idle. Node takes a connection for idle whose answer is ended, although its client has not taken it
 * all: that one is closed behind its answers. Requests that have arrived are read first, because whoever closes their connection resets it.
 */
export function closeBehindAnswers(
  server: Server,
  connections: Iterable<Socket>,
  onClosed: () => void,
): void {
  const close = (): void => {
    const sockets = [...connections].filter((socket) => responseOn(socket)?.writableEnded);
    const tellNode = (finished: boolean): void => {
      for (const socket of sockets) Object.assign(responseOn(socket) ?? {}, { finished });
    };
    tellNode(false);
    server.close(onClosed);
    tellNode(true);
    for (const socket of sockets) closeBehindAnswer(socket);
  };
  setImmediate(() => setImmediate(close));
}

function closeBehindAnswer(socket: Socket): void {
  if (isAnswering(socket)) responseOn(socket)?.once('finish', () => closeBehindAnswer(socket));
  else socket.destroySoon();
}

/** Whether an answer is under way, by whichever reader. */
export function isAnswering(socket: Duplex): boolean {
  return '_httpMessage' in socket && socket._httpMessage != null;
}

/** Node's answer under way: Node stores the current response of a socket on the socket, and later the next one. */
export function responseOn(socket: Duplex): ServerResponse | undefined {
  const carried: unknown = '_httpMessage' in socket ? socket._httpMessage : undefined;
  return carried instanceof ServerResponse ? carried : undefined;
}
