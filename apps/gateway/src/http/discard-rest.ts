import type { IncomingMessage } from 'node:http';

/** Maximum discarded size of a refused body: a client reads our answer only after sending. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/**
 * Reads and discards the rest, so that the client reads our answer instead of getting a reset; above the
 * bound the connection is closed. The server's request timeout ends a slow one.
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
