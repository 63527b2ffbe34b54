import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { eventually } from '@truetally/testing';
import { EdgeHarness, type EdgeHarnessOptions } from '../testing/edge-harness.js';
import { open, readAnswer } from '../testing/raw-http.js';
import type { Exchange } from '../http/exchange.js';
import { answer } from '../http/respond.js';

const MEBIBYTE = 1024 * 1024;
const ROUTE = {
  method: 'GET',
  path: '/large',
  credential: 'public',
  knownQuery: new Map<string, never>(),
  body: undefined,
} as const;
const GET = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n';
const LIMITS = {
  perConnectionBytes: 48 * MEBIBYTE,
  perAddressBytes: 64 * MEBIBYTE,
  inAllBytes: 80 * MEBIBYTE,
  silenceMs: 60_000,
  slowestBytesPerSecond: 1_024,
};
/** More than the socket buffers of both sides can take of an unread answer. */
const LARGE = 24 * MEBIBYTE;

describe('one request at a time per connection', () => {
  let harness: EdgeHarness;
  const sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await harness.close();
  });

  async function start(options: Partial<EdgeHarnessOptions>): Promise<string> {
    harness = new EdgeHarness({ routes: [ROUTE], outstanding: LIMITS, ...options });
    return harness.open();
  }

  async function connectTo(origin: string): Promise<Socket> {
    const socket = await open(origin);
    sockets.push(socket);
    return socket;
  }

  const large = (bytes: number) => (exchange: Exchange) => answer(exchange, 200, `"${'x'.repeat(bytes)}"`);

  it('80 requests with unread answers need the memory of one answer', async () => {
    const socket = await connectTo(await start({ controller: large(LARGE) }));
    socket.pause();
    socket.write(GET.repeat(80));
    await eventually(() => harness.outstanding.bytes > 0);
    // Enough time for the others to be built if they did not wait.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(harness.admitted.length).toBe(1);
    expect(harness.outstanding.bytes).toBeLessThanOrEqual(LARGE + 1_024);
  });

  it('a client that reads gets all of them, in their order', async () => {
    let answered = 0;
    const controller = (exchange: Exchange) => answer(exchange, 200, String((answered += 1)));
    const socket = await connectTo(await start({ controller }));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.write(GET.repeat(80));
    await eventually(() => text.split('HTTP/1.1 200').length === 81);
    const order = [...text.matchAll(/"data":(\d+)/g)].map(([, count]) => Number(count));
    expect(order).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
  });

  it('a connection that sends two at once again and again keeps no more for it', async () => {
    const connected: Socket[] = [];
    const origin = await start({ controller: (exchange) => answer(exchange, 200, '1') });
    harness.server.on('connection', (socket: Socket) => connected.push(socket));
    const socket = await connectTo(origin);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    const listeners: (number | undefined)[] = [];
    for (let pair = 1; pair <= 3; pair += 1) {
      socket.write(GET.repeat(2));
      await eventually(() => text.split('HTTP/1.1 200').length === 2 * pair + 1);
      listeners.push(connected[0]?.listenerCount('close'));
    }
    expect(listeners[0]).toBeGreaterThan(0);
    expect(listeners[2]).toBe(listeners[0]);
  });

  it('a connection with more requests waiting than it may have is ended', async () => {
    const held: Exchange[] = [];
    const turns = { perConnection: 10, inAllBytes: MEBIBYTE };
    const origin = await start({ turns, controller: (exchange) => void held.push(exchange) });
    const socket = await connectTo(origin);
    const closed = once(socket, 'close');
    socket.resume().write(GET.repeat(12));
    await closed;
    // Its waiting requests are dropped: others get their turns.
    const other = await connectTo(origin);
    other.write(GET.repeat(10));
    await eventually(() => held.length === 2);
  });

  it('unread answers are bounded in total: beyond the bound 503, and the connection is closed', async () => {
    const origin = await start({ controller: large(LARGE) });
    for (let count = 0; count < 3; count += 1) {
      const silent = await connectTo(origin);
      silent.pause();
      silent.write(GET);
    }
    await eventually(() => harness.outstanding.bytes > 2 * (LARGE - 8 * MEBIBYTE));
    const reader = await connectTo(origin);
    const refused = readAnswer(reader);
    reader.write(GET);
    expect((await refused).status).toBe(503);
    expect((await refused).headers).toMatch(/connection: close/i);
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually(() => harness.outstanding.bytes === 0);
  });

  it('an answer larger than a connection may have outstanding is 503', async () => {
    const reader = await connectTo(await start({ controller: large(49 * MEBIBYTE) }));
    const refused = readAnswer(reader);
    reader.write(GET);
    expect((await refused).status).toBe(503);
  });

  it('a silent reader loses its connection, and its memory is released', async () => {
    const outstanding = { ...LIMITS, silenceMs: 200 };
    const socket = await connectTo(await start({ outstanding, controller: large(LARGE) }));
    socket.pause();
    socket.write(GET);
    await eventually(() => harness.outstanding.bytes > 0);
    await eventually(() => harness.outstanding.bytes === 0);
  });
});
