import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ReachableAddresses } from '@truetally/contracts/validation';
import { EndpointClient } from './endpoint-client.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let answer: Answer = () => undefined;
const connections = new Set<Socket>();
const client = new EndpointClient(new ReachableAddresses(['127.0.0.1/32']));

beforeAll(async () => {
  server = createServer((request, response) => {
    connections.add(request.socket);
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  client.close();
  server.closeAllConnections();
  server.close();
});

const urlOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=b`;

function post(by: Answer, owner = 'workflow', url = urlOf()): ReturnType<EndpointClient['post']> {
  answer = by;
  return client.post(owner, url, { body: '{"type":"größe"}', headers: { 'webhook-id': 'msg_1' } });
}

describe('an endpoint', () => {
  it('an endpoint gets the body, its headers and its length', async () => {
    let asked: IncomingMessage | undefined;
    await post((request, response) => {
      asked = request;
      response.end();
    });
    expect(asked).toMatchObject({ method: 'POST', url: '/hook?a=b' });
    expect(asked?.headers).toMatchObject({
      'webhook-id': 'msg_1',
      'content-type': 'application/json',
      'content-length': '18',
    });
  });

  it.each<[string, Answer]>([
    ['100 Continue', (_, response) => response.writeContinue()],
    ['102 Processing', (_, response) => response.writeProcessing()],
    ['103 Early Hints', (_, response) => response.writeEarlyHints({ link: '</a>; rel=preload' })],
  ])('what an endpoint says before its answer is passed over: %s', async (_, before) => {
    const told = await post((request, response) => {
      before(request, response);
      before(request, response);
      setImmediate(() => response.writeHead(202).end('taken'));
    });
    expect(told).toMatchObject({ status: 202, error: null, response: 'taken' });
  });

  it.each<[string, Answer, string]>([
    [
      'redirects',
      (_, response) => response.writeHead(307).end(),
      'The endpoint answered 307; redirects are not followed.',
    ],
    ['refuses', (_, response) => response.writeHead(410).end(), 'The endpoint answered 410.'],
    ['closes', ({ socket }) => socket.destroy(), 'The endpoint closed the connection without an answer.'],
    [
      'switches protocols',
      ({ socket }) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      'The endpoint closed the connection without an answer.',
    ],
    [
      'speaks something else',
      ({ socket }) => socket.end('SSH-2.0\r\n\r\n'),
      'The endpoint does not speak HTTP.',
    ],
    [
      'goes on without end',
      (_, response) => {
        const goOn = (): void => {
          response.writeProcessing();
          if (!response.destroyed) setImmediate(goOn);
        };
        goOn();
      },
      'The endpoint says without end that it goes on, and does not answer.',
    ],
    [
      'says too much',
      (_, response) => response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end(),
      'The headers of the answer are too large.',
    ],
  ])('an endpoint that %s has failed, in plain words', async (_, by, error) => {
    expect(await post(by)).toMatchObject({ error });
  });

  it('an endpoint that nobody listens at, or that speaks no TLS, has failed, in plain words', async () => {
    const error = 'The endpoint refuses connections.';
    expect(await post(() => undefined, 'w', 'http://127.0.0.1:9/')).toMatchObject({ status: null, error });
    const secure = await post(() => undefined, 'w', urlOf().replace('http:', 'https:'));
    expect(secure.error).toBe('The TLS connection failed; its certificate must be valid for the name.');
  });

  it('a status counts, although its answer breaks off', async () => {
    const broken: Answer = (_, response) =>
      response.writeHead(200, { 'content-length': '99' }).write('begun', () => response.destroy());
    expect(await post(broken)).toMatchObject({ status: 200, error: null, response: 'begun' });
  });

  it.each<[string, number | null]>([
    ['120', 120_000],
    ['Thu, 26 Nov 2026 22:00:30 GMT', 30_000],
    ['Thu, 26 Nov 2026 21:00:00 GMT', null],
    ['soon', null],
    ['-5', null],
  ])(
    'an endpoint that says "Retry-After: %s" asks to be left alone for %s ms',
    async (after, retryAfterMs) => {
      const headers = { 'retry-after': after, date: 'Thu, 26 Nov 2026 22:00:00 GMT' };
      expect(await post((_, response) => response.writeHead(503, headers).end())).toMatchObject({
        retryAfterMs,
      });
      expect(await post((_, response) => response.writeHead(503).end())).toMatchObject({
        retryAfterMs: null,
      });
    },
  );

  it('a connection is used again where its answer was read to its end, by the same workflow alone', async () => {
    connections.clear();
    const short: Answer = (_, response) => response.end('ok');
    for (const owner of ['one', 'one', 'one', 'two']) await post(short, owner);
    expect(connections.size).toBe(2);
    const long: Answer = (_, response) => response.end('x'.repeat(3_000_000));
    expect((await post(long, 'one')).response).toHaveLength(1_024);
    await post(short, 'one');
    expect(connections.size).toBe(3);
  });
});
