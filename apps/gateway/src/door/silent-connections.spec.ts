import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { EdgeHarness, SMALL_ROUTE } from '../testing/edge-harness.js';
import { open, readAnswer } from '../testing/raw-http.js';
import type { ServerLimits } from './server.js';

const GET = 'GET /small HTTP/1.1\r\nHost: x\r\n\r\n';
/** A timeout for headers that each of these connections outlives, and within which a busy machine reads what was sent at once. */
const SHORT = { headersTimeoutMs: 500, requestTimeoutMs: 60_000, timeoutCheckMs: 10 };
/** Practically infinite, so that only other timeouts close a connection. */
const LONG_MS = 3_600_000;

describe('a connection that has sent nothing', () => {
  let harness: EdgeHarness;
  const sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await harness.close();
  });

  /** A client, and everything that it has received. */
  async function connectTo(limits: Partial<ServerLimits>): Promise<{ socket: Socket; sent: () => string }> {
    harness = new EdgeHarness({ routes: [SMALL_ROUTE], server: { ...SHORT, ...limits } });
    const socket = await open(await harness.open());
    sockets.push(socket);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    return { socket, sent: () => text };
  }

  /** The timeout for a request's headers has passed. */
  const headersAreLate = () => once(harness.server, 'clientError');

  it('a connection that has sent nothing is closed in silence, and no sooner than an idle one', async () => {
    const keepAliveTimeoutMs = 1_000;
    const beforeMs = performance.now();
    const { socket, sent } = await connectTo({ keepAliveTimeoutMs });
    await once(socket, 'close');
    expect(sent()).toBe('');
    // A timer may be late but never early: on a machine of any speed, this fails only if a connection is closed
    // too soon.
    expect(performance.now() - beforeMs).toBeGreaterThanOrEqual(keepAliveTimeoutMs);
  });

  it('a connection that has sent nothing may send its request late, and gets the answer', async () => {
    const { socket, sent } = await connectTo({ keepAliveTimeoutMs: LONG_MS });
    await headersAreLate();
    const answer = readAnswer(socket);
    socket.write(GET);
    expect((await answer).status).toBe(200);
    const next = readAnswer(socket);
    socket.write(GET);
    expect((await next).status).toBe(200);
    expect(sent().match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  it('a connection that begins a request late and does not finish it gets 400', async () => {
    const { socket } = await connectTo({ keepAliveTimeoutMs: LONG_MS });
    await headersAreLate();
    const answer = readAnswer(socket);
    socket.write('GET /small HTTP/1.1\r\nHost:');
    expect((await answer).status).toBe(400);
  });

  it('a connection is not kept for ever by empty lines, which begin no request', async () => {
    const { socket, sent } = await connectTo({ keepAliveTimeoutMs: 1_000 });
    await headersAreLate();
    const closed = once(socket, 'close');
    socket.write('\r\n\r\n');
    await closed;
    expect(sent()).toBe('');
  });

  it('the first connections of the largest holder make room for others, who are answered', async () => {
    const { socket: first } = await connectTo({ maxConnections: 3, keepAliveTimeoutMs: LONG_MS });
    const origin = `http://127.0.0.1:${(harness.server.address() as AddressInfo).port}`;
    const second = await open(origin);
    const third = await open(origin);
    sockets.push(second, third);
    const ended = once(first, 'close');
    const other = await open(origin, '127.0.0.2');
    sockets.push(other);
    await ended;
    const answer = readAnswer(other);
    other.write(GET);
    expect((await answer).status).toBe(200);
    const again = once(second, 'close');
    sockets.push(await open(origin));
    await again;
    expect([third.destroyed, other.destroyed]).toEqual([false, false]);
  });
});
