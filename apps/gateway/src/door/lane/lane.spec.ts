import { once } from 'node:events';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import type { Exchange } from '../../http/exchange.js';
import { answer } from '../../http/respond.js';
import type { Reader } from '../../testing/conversation.js';
import { EdgeHarness, type EdgeHarnessOptions, type HarnessRoute } from '../../testing/edge-harness.js';
import { open, readAnswer } from '../../testing/raw-http.js';
import { drain } from '../server.js';
import { readLaneRequest } from './lane-http.js';

const ROUTE: HarnessRoute = {
  method: 'POST',
  path: '/api/v1/events/track',
  credential: 'event-writer',
  knownQuery: new Map(),
  body: { of: [], limitBytes: 64 * 1024, isOptional: false, costOf: () => 1 },
};
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapAfterCollection(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const LONG_MS = 3_600_000;
const OUTSTANDING = {
  perConnectionBytes: 1e9,
  perAddressBytes: 1e9,
  inAllBytes: 1e9,
  silenceMs: LONG_MS,
  slowestBytesPerSecond: 64 * 1024,
};

describe.each<Reader>(['node', 'lane'])('a connection whose requests are read by: %s', (reader) => {
  let harness: EdgeHarness;
  let request: string;
  const sockets: Socket[] = [];
  /** Admitted requests that are not answered yet. */
  const held: Exchange[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    held.splice(0);
    await harness.close();
  });

  async function connectTo(options: Partial<EdgeHarnessOptions> = {}): Promise<Socket> {
    const controller = (exchange: Exchange): void => void held.push(exchange);
    harness = new EdgeHarness({ routes: [ROUTE], controller, hasLane: reader === 'lane', ...options });
    const origin = await harness.open();
    const head = `POST ${ROUTE.path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${harness.apiKey(['events:write'])}\r\n`;
    request = `${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const socket = await open(origin);
    sockets.push(socket);
    await askOne(socket);
    return socket;
  }

  async function askOne(socket: Socket, body = '{}'): Promise<string> {
    const answered = readAnswer(socket);
    const exchange = await hold(socket);
    answer(exchange, 201, body);
    return (await answered).headers;
  }

  async function hold(socket: Socket, bytes = request): Promise<Exchange> {
    socket.write(bytes);
    await eventually(() => held.length > 0);
    const [exchange] = held.splice(0, 1);
    if (exchange === undefined) throw new Error('A request is admitted.');
    return exchange;
  }

  it('its second request is read by this one, and by no other', async () => {
    const exchange = await hold(await connectTo());
    expect(exchange.request.takeBody === undefined).toBe(reader === 'node');
  });

  it('its second request passes the stream of its connection by, unless it is read by Node', async () => {
    const socket = await connectTo();
    const first = await hold(socket);
    const chunks: Buffer[] = [];
    first.request.socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    const answered = readAnswer(socket);
    answer(first, 201, '{}');
    await answered;
    await askOne(socket);
    expect(chunks.map(String)).toEqual(reader === 'node' ? [request] : []);
  });

  it('a request that is under way at a stop is answered, and its connection closed', async () => {
    const socket = await connectTo();
    const answered = readAnswer(socket);
    const closed = once(socket, 'close');
    const exchange = await hold(socket);
    harness.beginToDrain();
    const drained = drain(harness.server, LONG_MS);
    answer(exchange, 201, '{}');
    const { status, headers } = await answered;
    expect([status, headers]).toEqual([201, expect.stringContaining('\r\nConnection: close')]);
    await Promise.all([closed, drained]);
  });

  it('an idle connection is closed at a stop at once', async () => {
    const socket = await connectTo();
    const closed = once(socket, 'close');
    harness.beginToDrain();
    await Promise.all([drain(harness.server, LONG_MS), closed]);
  });

  it('an idle connection is closed after its timeout, and no sooner', async () => {
    const keepAliveTimeoutMs = 500;
    const socket = await connectTo({ server: { keepAliveTimeoutMs } });
    const beforeMs = performance.now();
    await askOne(socket);
    await once(socket, 'close');
    expect(performance.now() - beforeMs).toBeGreaterThanOrEqual(keepAliveTimeoutMs);
  });

  it('a request that is under way for longer than a connection may be idle is answered', async () => {
    const socket = await connectTo({ server: { keepAliveTimeoutMs: 500 } });
    const exchange = await hold(socket);
    // Another connection, which is idle from now on, says when that time has passed.
    const idle = await open(`http://127.0.0.1:${socket.remotePort ?? 0}`);
    sockets.push(idle);
    await askOne(idle);
    await once(idle, 'close');
    const answered = readAnswer(socket);
    answer(exchange, 201, '{}');
    expect((await answered).status).toBe(201);
    expect(await askOne(socket)).toContain('201 Created');
  });

  it('a connection that is idle for longer than headers may take is kept', async () => {
    const socket = await connectTo({
      server: { headersTimeoutMs: 500, requestTimeoutMs: 500, timeoutCheckMs: 10 },
    });
    await askOne(socket);
    const exchange = await hold(socket);
    // Another connection, on which headers are late, says when that time has passed.
    const late = await open(`http://127.0.0.1:${socket.remotePort ?? 0}`);
    sockets.push(late);
    const answered = readAnswer(socket);
    late.write('POST ');
    expect((await readAnswer(late)).status).toBe(400);
    answer(exchange, 201, '{}');
    expect((await answered).status).toBe(201);
    expect(await askOne(socket)).toContain('201 Created');
  });

  it('a request that comes before the last one is answered waits for it', async () => {
    const socket = await connectTo();
    const first = await hold(socket);
    socket.write(request);
    const other = await open(`http://127.0.0.1:${socket.remotePort ?? 0}`);
    sockets.push(other);
    const exchange = await hold(other);
    expect(held).toHaveLength(0);
    const answered = readAnswer(socket);
    answer(first, 201, '{}');
    expect((await answered).status).toBe(201);
    await eventually(() => held.length === 1);
    answer(exchange, 201, '{}');
  });

  it('a client that ends its side gets its answer, and its connection is closed behind it', async () => {
    const socket = await connectTo();
    const answered = readAnswer(socket);
    const closed = once(socket, 'close');
    const exchange = await hold(socket);
    const ended = once(exchange.request.socket, 'end');
    socket.end();
    await ended;
    answer(exchange, 201, '{}');
    const { status, headers } = await answered;
    expect([status, headers]).toEqual([201, expect.stringContaining('\r\nConnection: keep-alive')]);
    await closed;
  });

  it('a client that ends its side behind two requests gets both answers', async () => {
    const socket = await connectTo();
    const exchange = await hold(socket);
    const ended = once(exchange.request.socket, 'end');
    const closed = once(socket, 'close');
    socket.write(request);
    // In a chunk of its own.
    await eventually(() => exchange.request.socket.bytesRead >= 3 * request.length);
    socket.end();
    await ended;
    const first = readAnswer(socket);
    answer(exchange, 201, '{}');
    expect((await first).status).toBe(201);
    await eventually(() => held.length === 1);
    const second = readAnswer(socket);
    for (const next of held.splice(0)) answer(next, 201, '{}');
    expect((await second).status).toBe(201);
    await closed;
  });

  it('a connection whose answer is taken only after a stop is closed behind it', async () => {
    const socket = await connectTo({ outstanding: OUTSTANDING });
    socket.removeAllListeners('data');
    socket.pause();
    while (harness.outstanding.bytes === 0) answer(await hold(socket), 201, `"${'x'.repeat(60_000)}"`);
    const drained = drain(harness.server, LONG_MS);
    socket.resume();
    await Promise.all([once(socket, 'close'), drained]);
  });

  it('what a silent client does not take is counted until its connection is closed, and no request of it is read', async () => {
    const socket = await connectTo({ outstanding: { ...OUTSTANDING, silenceMs: 200 } });
    socket.removeAllListeners('data');
    socket.pause();
    const closed = once(socket, 'close');
    while (harness.outstanding.bytes === 0) answer(await hold(socket), 201, `"${'x'.repeat(60_000)}"`);
    socket.write(request);
    await eventually(() => harness.outstanding.bytes === 0);
    expect(held).toHaveLength(0);
    socket.resume();
    await closed;
  });

  it('a client that takes its answer late goes on, and its connection is idle for as long as any', async () => {
    const socket = await connectTo({ outstanding: OUTSTANDING });
    socket.removeAllListeners('data');
    socket.pause();
    let taken = 0;
    while (harness.outstanding.bytes === 0) answer(await hold(socket), 201, `"${'x'.repeat(60_000)}"`);
    const [atServer] = [...sockets].slice(-1);
    socket.on('data', (chunk: Buffer) => (taken += chunk.length));
    socket.resume();
    await eventually(() => harness.outstanding.bytes === 0);
    expect(taken).toBeGreaterThan(60_000);
    expect(atServer?.destroyed).toBe(false);
    socket.removeAllListeners('data');
    const exchange = await hold(socket);
    expect(exchange.request.socket.timeout).not.toBe(LONG_MS);
    const answered = readAnswer(socket);
    answer(exchange, 201, '{}');
    expect((await answered).status).toBe(201);
  });

  it('what arrives behind requests under way is bounded in all: beyond it a connection is closed', async () => {
    const turns = { perConnection: 10, inAllBytes: 100_000 };
    const first = await connectTo({ turns });
    const large = request.replace('Length: 2', 'Length: 50000').replace('{}', `${' '.repeat(49_998)}{}`);
    const exchange = await hold(first);
    const answers = readAnswer(first);
    first.write(large);
    const second = await open(`http://127.0.0.1:${first.remotePort ?? 0}`);
    sockets.push(second);
    await askOne(second);
    await hold(second);
    second.write(large);
    await once(second, 'close');
    answer(exchange, 201, '{}');
    expect((await answers).status).toBe(201);
    await eventually(() => held.length > 0);
    // Its room is free again.
    const third = await open(`http://127.0.0.1:${first.remotePort ?? 0}`);
    sockets.push(third);
    third.write(request);
    await eventually(() => held.length > 1);
    third.write(large);
    held.splice(0).forEach((one) => answer(one, 201, '{}'));
    await eventually(() => held.length > 0);
  });

  it('the largest holder of connections loses an idle one, and none that waits for an answer', async () => {
    const socket = await connectTo({ server: { maxConnections: 1 } });
    const exchange = await hold(socket);
    const answered = readAnswer(socket);
    const other = await open(`http://127.0.0.1:${socket.remotePort ?? 0}`);
    await once(other, 'close');
    answer(exchange, 201, '{}');
    expect((await answered).status).toBe(201);
  });
});

describe('a request that the lane has read', () => {
  it('a body that waits is its own, whatever is read into its memory meanwhile', () => {
    const chunk = Buffer.from(`POST ${ROUTE.path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`);
    const read = readLaneRequest(new Socket(), chunk);
    if (typeof read !== 'object') throw new Error('It is a request of the lane.');
    read.keepBody();
    chunk.fill('x');
    expect(String(read.takeBody())).toBe('{}');
  });

  it('what is kept of a request, such as its id, does not keep the rest of its head', () => {
    const rounds = 1_000;
    const cookie = 'c'.repeat(7_000);
    const head = `POST ${ROUTE.path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${'i'.repeat(20)}\r\nCookie: ${cookie}\r\n`;
    const socket = new Socket();
    const kept: unknown[] = [];
    const before = heapAfterCollection();
    for (let round = 0; round < rounds; round += 1) {
      const read = readLaneRequest(socket, Buffer.from(`${head}Content-Length: 0\r\n\r\n`));
      if (typeof read === 'object') kept.push(read.headers['x-request-id']);
    }
    expect(heapAfterCollection() - before).toBeLessThan((rounds * cookie.length) / 2);
    expect([kept.length, ...new Set(kept)]).toEqual([rounds, 'i'.repeat(20)]);
  });
});
