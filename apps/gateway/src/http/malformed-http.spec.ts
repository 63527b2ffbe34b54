import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { eventually, request } from '@truetally/testing';
import { EdgeHarness, type HarnessRoute } from '../testing/edge-harness.js';
import { open, sendRaw } from '../testing/raw-http.js';
import { answer } from './respond.js';

const ROUTE: HarnessRoute = {
  method: 'POST',
  path: '/api/v1/events/track',
  credential: 'event-writer',
  knownQuery: new Map(),
  body: { of: [], limitBytes: 64 * 1024, isOptional: false, costOf: () => 1 },
};
/** Instead of ten seconds and more; what is sent at once arrives at once. */
const SHORT_MS = 200;
const SHORT = { headersTimeoutMs: SHORT_MS, requestTimeoutMs: SHORT_MS, timeoutCheckMs: SHORT_MS / 10 };

describe('malformed HTTP: a clear 4xx, never a 500, and the server goes on', () => {
  let harness: EdgeHarness;
  let key: string;
  let origin: string;

  beforeAll(async () => {
    harness = new EdgeHarness({
      routes: [ROUTE],
      // A client that never ends its request is waited for.
      server: { ...SHORT, headersTimeoutMs: 5 * SHORT_MS, requestTimeoutMs: 5 * SHORT_MS },
      bodyTimeoutMs: 5 * SHORT_MS,
      controller: (exchange) => {
        exchange.takeBody();
        answer(exchange, 201, '{}');
      },
    });
    origin = await harness.open();
    key = harness.apiKey(['events:write']);
  });

  afterEach(async () => {
    expect(await trackOne()).toBe(201);
  });

  afterAll(() => harness.close());

  const event = () => ({
    event_type: 'page_view',
    session_id: 'session-1',
    client_event_id: randomUUID(),
    context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
  });

  async function trackOne(): Promise<number> {
    const url = `${origin}/api/v1/events/track`;
    return (await request(url, { json: event(), headers: { 'x-api-key': key } })).status;
  }

  /** Statuses of all answers on one connection, until the server closes it. */
  async function statusesOf(bytes: string): Promise<number[]> {
    const socket = await open(origin);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(Buffer.from(bytes, 'latin1'));
    await closed;
    return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  const head = (...lines: string[]): string =>
    ['POST /api/v1/events/track HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, ...lines, '', ''].join('\r\n');

  it.each([
    ['not HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', 'BREW /api/v1/events/track HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost x\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a length that is no number', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n{}'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n{}'],
    ['another version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'an unknown expectation',
      'POST /api/v1/events/track HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nContent-Length: 0\r\n\r\n',
    ],
    ['101 headers', `GET / HTTP/1.1\r\n${'X: 1\r\n'.repeat(101)}\r\n`],
    ['headers of 64 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(65_536)}\r\n\r\n`],
    ['no Host', 'GET /api/v1/sites HTTP/1.1\r\nAccept: */*\r\n\r\n'],
    ['an address of 64 KiB', `GET /${'a'.repeat(65_536)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('malformed HTTP answers 400 in the envelope: %s', async (_name, bytes) => {
    const { status, headers, body } = await sendRaw(origin, Buffer.from(bytes, 'latin1'));
    expect(status).toBe(400);
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: { code: 'BAD_REQUEST', message: expect.any(String), details: {} },
      meta: { timestamp: expect.any(String), request_id: requestIdIn(headers) },
    });
  });

  it('an address of 8 KB, encoded or not, is 404', async () => {
    for (const path of [
      'a'.repeat(8_000),
      '%00'.repeat(2_000),
      '%ff%fe',
      '../../etc/passwd',
      '%2e%2e/%2e%2e',
    ]) {
      const { status } = await sendRaw(origin, `GET /api/v1/${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(status).toBe(404);
    }
  });

  it('a request of HTTP/1.0 without a Host header and one in absolute form are served', async () => {
    const body = JSON.stringify(event());
    const fields = [
      `X-API-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ];
    for (const line of [
      'POST /api/v1/events/track HTTP/1.0',
      `POST ${origin}/api/v1/events/track HTTP/1.1\r\nHost: x`,
    ]) {
      expect((await sendRaw(origin, [line, ...fields].join('\r\n'))).status).toBe(201);
    }
  });

  it('a truncated body and one shorter than its length are never taken for a whole one', async () => {
    const body = JSON.stringify(event());
    const sized = head('Content-Type: application/json', `Content-Length: ${body.length + 50}`);
    const { status } = await sendRaw(origin, [sized, body], { isEnded: true });
    expect([undefined, 400]).toContain(status);
    const longer = head('Content-Type: application/json', 'Content-Length: 10') + body;
    expect((await sendRaw(origin, longer)).status).toBe(400);
    const broken = head('Content-Type: application/json', 'Transfer-Encoding: chunked');
    expect((await sendRaw(origin, [broken, 'zz\r\n{}\r\n'])).status).toBe(400);
  });

  it('data after a complete request affects neither its answer nor its event', async () => {
    const body = JSON.stringify(event());
    const whole = `${head('Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`;
    expect(await statusesOf(`${whole}GARBAGE\x01 x\r\n\r\n`)).toEqual([201, 400]);
    expect(await statusesOf(`${whole}${whole}GARBAGE\x01 x\r\n\r\n`)).toEqual([201, 201, 400]);
  });

  it('a request that is refused before its end gets one answer', async () => {
    const early = head('Content-Type: text/plain', 'Content-Length: 100');
    expect(await statusesOf(`${early}{"a":`)).toEqual([415]);
  });

  it('100 headers are taken', async () => {
    const { status } = await sendRaw(origin, `GET / HTTP/1.1\r\n${'X: 1\r\n'.repeat(99)}Host: x\r\n\r\n`);
    expect(status).toBe(404);
  });

  it('a refused request whose body does not come keeps nothing of its head', async () => {
    const seen = once(harness.server, 'request');
    const head = `POST /api/v1/nothing HTTP/1.1\r\nHost: x\r\nX-Long: ${'h'.repeat(10_000)}\r\n`;
    const { status } = await sendRaw(origin, `${head}Content-Length: 9\r\n\r\n`);
    expect(status).toBe(404);
    const [refused] = (await seen) as [IncomingMessage];
    await eventually(() => refused.rawHeaders.length === 0);
    expect([refused.url, refused.headers]).toEqual(['', {}]);
  });

  it('a client that ends its side once it has asked still gets its answer', async () => {
    const body = JSON.stringify(event());
    const whole = `${head('Content-Type: application/json', `Content-Length: ${body.length}`)}${body}`;
    expect((await sendRaw(origin, whole, { isEnded: true })).status).toBe(201);
  });
});

describe('slow clients', () => {
  it('slow headers and slow bodies time out, with 400 if a request has begun', async () => {
    const harness = new EdgeHarness({
      routes: [ROUTE],
      server: SHORT,
      bodyTimeoutMs: SHORT_MS,
    });
    const origin = await harness.open();
    try {
      const head = `POST ${ROUTE.path} HTTP/1.1\r\nHost: x\r\n`;
      const fields = [
        `X-API-Key: ${harness.apiKey(['events:write'])}`,
        'Content-Type: application/json',
        'Content-Length: 100',
      ];
      const body = await sendRaw(origin, [`${head}${fields.join('\r\n')}\r\n\r\n`, '{"a":']);
      expect([body.status, body.body]).toEqual([400, expect.stringContaining('took too long')]);
      expect((await sendRaw(origin, head)).status).toBe(400);
    } finally {
      await harness.close();
    }
  });
});

function requestIdIn(headers: string): string {
  const [, requestId] = /^X-Request-Id: (\S+)\r?$/im.exec(headers) ?? [];
  if (requestId === undefined) throw new Error(`No request id among ${headers}`);
  return requestId;
}
