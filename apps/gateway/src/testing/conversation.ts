import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
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
    const ended = new Promise((resolve) => socket.once('close', resolve));
    let sent = first.length;
    for (const piece of pieces) {
      // What is written to who has hung up is answered by a reset, and what it has said before would be lost with that.
      if (atServer.destroyed || !socket.writable) break;
      socket.write(piece, 'latin1');
      sent += piece.length;
      await eventually(() => atServer.bytesRead >= sent || atServer.destroyed);
    }
    await untilQuiet(() => text.length);
    socket.end();
    await ended;
    return normalised(text);
  } finally {
    socket.destroy();
  }
}

/**
 * Until the server has answered what it can: what it says of an end depends on whether an answer is still under way. It is of
 * this process, and takes some of its turns.
 */
async function untilQuiet(said: () => number): Promise<void> {
  let before = -1;
  for (let calm = 0; calm < CALM_TURNS; calm = said() === before ? calm + 1 : 0) {
    before = said();
    await setImmediate();
  }
}

const CALM_TURNS = 50;

function normalised(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'a-random-id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'now')
    .replace(/^Date: .*GMT\r$/gm, 'Date: now\r');
}
