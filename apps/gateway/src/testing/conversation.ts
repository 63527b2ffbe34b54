import { once } from 'node:events';
import type { Socket } from 'node:net';
import { eventually } from '@truetally/testing';
import type { EdgeHarness } from './edge-harness.js';
import { open, readAnswer } from './raw-http.js';

/** Who read a request: Node's parser, or the lane. */
export type Reader = 'node' | 'lane';

/**
 * Everything that a server writes to a client that sends these pieces, each in a packet of its own, and then ends its side: what
 * differs between two runs (ids and times) is replaced.
 * @param first a whole request whose answer is read before
 */
export async function converse(
  harness: EdgeHarness,
  first: string,
  pieces: readonly string[],
): Promise<string> {
  const accepted = once(harness.server, 'connection') as Promise<[Socket]>;
  const { port } = harness.server.address() as { port: number };
  const socket = await open(`http://127.0.0.1:${port}`);
  try {
    const [atServer] = await accepted;
    const warmed = readAnswer(socket);
    socket.write(first, 'latin1');
    await warmed;
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    const ended = once(socket, 'close');
    let sent = first.length;
    for (const piece of pieces) {
      socket.write(piece, 'latin1');
      sent += piece.length;
      await eventually(() => atServer.bytesRead >= sent || atServer.destroyed);
    }
    socket.end();
    await ended;
    return normalised(text);
  } finally {
    socket.destroy();
  }
}

function normalised(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'a-random-id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'now')
    .replace(/^Date: .*GMT\r$/gm, 'Date: now\r');
}
