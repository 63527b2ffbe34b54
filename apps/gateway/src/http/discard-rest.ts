import type { IncomingMessage } from 'node:http';

/** What is still read, and thrown away, of a body that was refused: a client reads our answer only after sending. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/**
 * Reads on without keeping anything, so that the client comes to read our answer instead of a reset; up to a
 * bound, beyond which it loses the connection. The server's request timeout ends a slow one.
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
