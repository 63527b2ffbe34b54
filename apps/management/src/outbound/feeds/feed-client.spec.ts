import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ReachableAddresses } from '@truetally/contracts/validation';
import { FeedClient } from './feed-client.js';
import { FEED_LIMITS, type FeedLimits } from './feed-limits.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const LIMITS: FeedLimits = {
  ...FEED_LIMITS,
  maxBytes: 1_000_000,
  headersMs: 3_000,
  idleMs: 3_000,
  patienceMs: 300,
  bytesPerSecond: 100_000,
};
const PUBLIC = { username: null, password: null, etag: null, lastModified: null };
const LOOPBACK = ['127.0.0.1/32'];
const TOO_SLOW = 'The feed arrives too slowly to be read.';
const LATE = "The feed's server did not answer in time.";
const CLOSED = "The feed's server could not be reached, or closed the connection early.";

let server: Server;
let answer: Answer;
let asked: IncomingMessage[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const urlOf = (path = '/feed'): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

/** What a feed is, or why it cannot be read. */
async function read(by: Answer, address: object = {}, allowed = LOOPBACK): Promise<string> {
  [answer, asked] = [by, []];
  const client = new FeedClient(new ReachableAddresses(allowed), LIMITS);
  const signal = new AbortController().signal;
  const asking = { ...PUBLIC, url: urlOf(), ...address };
  try {
    return await client.fetch(asking, signal, async (feed) => {
      if (feed === undefined) return 'unchanged';
      let text = '';
      for await (const chunk of feed.bytes) text += chunk.toString();
      return text;
    });
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown';
  }
}

const status =
  (code: number, headers = {}): Answer =>
  (_, response) =>
    response.writeHead(code, headers).end('body');

describe('a server of a feed', () => {
  it('a server is asked once, with Basic credentials and what it said the last time', async () => {
    const address = {
      username: 'shop',
      password: null,
      etag: '"e"',
      lastModified: 'Mon',
      url: urlOf('/a?b=c'),
    };
    expect(await read((_, response) => response.end('feed'), address)).toBe('feed');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.url).toBe('/a?b=c');
    expect(asked[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('shop:').toString('base64')}`,
      'if-none-match': '"e"',
      'if-modified-since': 'Mon',
    });
    await read((_, response) => response.end('feed'));
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each<[string, Answer, object, string]>([
    ['a status of 304', status(304), { etag: '"e"' }, 'unchanged'],
    ['the same ETag', status(200, { etag: '"e"' }), { etag: '"e"' }, 'unchanged'],
    ['the same Last-Modified', status(200, { 'last-modified': 'Mon' }), { lastModified: 'Mon' }, 'unchanged'],
    [
      'another ETag',
      status(200, { etag: '"f"', 'last-modified': 'Mon' }),
      { etag: '"e"', lastModified: 'Mon' },
      'body',
    ],
    [
      'a status of 304 that nobody asked for',
      status(304),
      {},
      "The feed's server answered 304; redirects are not followed.",
    ],
  ])('%s tells whether a feed has changed', async (_, by, address, told) => {
    expect(await read(by, address)).toBe(told);
  });

  it.each<[string, Answer, string]>([
    [
      'redirects',
      status(307, { location: 'http://169.254.169.254/' }),
      "The feed's server answered 307; redirects are not followed.",
    ],
    ['refuses', status(403), "The feed's server refused the credentials (403)."],
    ['fails', status(500), "The feed's server answered 500."],
    ['hangs', () => undefined, LATE],
    ['hangs after its headers', (_, response) => response.writeHead(200).flushHeaders(), LATE],
    ['closes at once', ({ socket }) => socket.destroy(), CLOSED],
    [
      'closes early',
      (_, response) =>
        response.writeHead(200, { 'content-length': '99' }).write('x', () => response.destroy()),
      CLOSED,
    ],
    [
      'has named no length, and resets the connection,',
      ({ socket }) => socket.write('HTTP/1.1 200 OK\r\n\r\nid,title\n', () => void socket.resetAndDestroy()),
      CLOSED,
    ],
    [
      'says that it is too large',
      status(200, { 'content-length': '1000001' }),
      'The feed is larger than 1000000 bytes.',
    ],
    [
      'packs it otherwise',
      status(200, { 'content-encoding': 'br' }),
      'The feed is sent in an encoding other than gzip.',
    ],
    [
      'speaks something else',
      ({ socket }) => socket.end('SSH-2.0\r\n\r\n'),
      "The feed's server does not speak HTTP.",
    ],
  ])('a server that %s ends the reading', async (_, by, message) => {
    expect(await read(by)).toBe(message);
    expect(asked).toHaveLength(1);
  });

  it('what a server says before its answer is passed over, although nobody asked for it', async () => {
    const interim: Answer = (_, response) => {
      response.writeContinue();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.end('feed');
    };
    expect(await read(interim)).toBe('feed');
  });

  it('the time in which a feed is handled is not the time of its server', async () => {
    [answer, asked] = [(_, response) => response.end(Buffer.alloc(500_000, ' ')), []];
    const client = new FeedClient(new ReachableAddresses(LOOPBACK), LIMITS);
    const asking = { ...PUBLIC, url: urlOf() };
    const bytes = await client.fetch(asking, new AbortController().signal, async (feed) => {
      let sum = 0;
      for await (const chunk of feed?.bytes ?? []) {
        if (sum === 0) await delay(LIMITS.idleMs + 100);
        sum += chunk.length;
      }
      return sum;
    });
    expect(bytes).toBe(500_000);
  });

  it('a server that drips is given up, however long it goes on', async () => {
    let timer: NodeJS.Timeout | undefined;
    const drip: Answer = (_, response) => {
      timer = setInterval(() => response.write('x'), 20);
    };
    expect(await read(drip)).toBe(TOO_SLOW);
    clearInterval(timer);
  });

  it('a server that never ends is given up at the limit', async () => {
    const flood: Answer = (_, response) => {
      const chunk = Buffer.alloc(65_536, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', more);
      };
      more();
    };
    expect(await read(flood)).toBe('The feed is larger than 1000000 bytes.');
  });

  it('an address inside of a network is not called, by number or by name', async () => {
    const message = 'base_url leads to a private, loopback or link-local address.';
    expect(await read(status(200), {}, [])).toBe(message);
    const named = urlOf().replace('127.0.0.1', 'localhost');
    expect(await read(status(200), { url: named }, ['10.0.0.0/8'])).toBe(message);
    expect(asked).toEqual([]);
  });
});
