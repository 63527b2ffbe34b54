import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '@truetally/platform';
import type { Caller } from '../../credentials/caller.js';
import type { Exchange } from '../../http/exchange.js';
import { EventStream } from './event-stream.js';
import { type OpenStream, OpenStreams, STREAM_LIMITS, type StreamPlace } from './open-streams.js';
import { RecentEvents } from './recent-events.js';
import { PositionIds } from './stream-position.js';

const limit = { subject: 'workspace:w', perHour: 1 };

function newStreams(): OpenStreams {
  const readers = {
    endOf: () => undefined,
    holdersOf: ({ workspaceId }: Caller) => [workspaceId, `owner of ${workspaceId}`],
  };
  return new OpenStreams(readers, new Metrics('gateway'));
}

function user(subject: string): Caller {
  const workspaceId = `workspace of ${subject}`;
  return {
    kind: 'member',
    subject,
    email: null,
    tokenExpiresAtMs: Infinity,
    workspaceId,
    role: 'owner',
    limit,
  };
}

function placeIn(streams: OpenStreams, caller: Caller): StreamPlace {
  const place = streams.take(caller);
  if (typeof place === 'string') throw new Error(place);
  return place;
}

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

describe('the streams of a gateway', () => {
  it('a user has at most 10 places, whatever the workspace, and gets another for each that is given back', () => {
    const streams = newStreams();
    const places = Array.from({ length: STREAM_LIMITS.ofCaller }, () => placeIn(streams, user('one')));
    expect(streams.take({ ...user('one'), workspaceId: 'another' })).toBe('streams-exceeded');
    expect(placeIn(streams, user('other')).name).toBe('user:other');
    for (const place of places) {
      streams.giveBack(place);
      placeIn(streams, user('one'));
      expect(streams.take(user('one'))).toBe('streams-exceeded');
    }
  });

  it('a gateway has at most 1,000 places', () => {
    const streams = newStreams();
    const places = Array.from({ length: STREAM_LIMITS.inAll }, (_, number) =>
      placeIn(streams, user(`user ${number % 200}`)),
    );
    expect(streams.take(user('late'))).toBe('no-stream-left');
    for (const place of places) streams.giveBack(place);
    expect(placeIn(streams, user('late')).name).toBe('user:late');
  });

  it('a workspace that has all places of a gateway gives its oldest ones to others, until it has no more than they, also before these have closed', () => {
    const streams = newStreams();
    const closed: (() => void)[] = [];
    const ended: number[] = [];
    for (let number = 0; number < STREAM_LIMITS.inAll; number += 1) {
      const place = placeIn(streams, { ...user(`user ${number % 200}`), workspaceId: 'w' });
      const stream = { close: () => ended.push(number), isWaiting: false, goOn: () => undefined };
      const once = (_: 'close', close: () => void) => closed.push(close);
      const response = { on: () => undefined, once, destroy: () => undefined };
      const exchange = { request: { socket: { once: () => undefined } }, outgoing: response, response };
      const opened = { exchange, stream, siteId: SITE, place } as unknown as OpenStream;
      streams.watch(opened, () => streams.giveBack(place));
    }
    expect(streams.take({ ...user('late'), workspaceId: 'w' })).toBe('no-stream-left');
    for (let number = 0; number < 500; number += 1) {
      placeIn(streams, { ...user(`late ${number % 50}`), workspaceId: 'another' });
    }
    expect(ended).toEqual(Array.from({ length: 500 }, (_, number) => number));
    expect(streams.take({ ...user('later'), workspaceId: 'another' })).toBe('no-stream-left');
    expect(placeIn(streams, user('third')).name).toBe('user:third');
    for (const close of closed) close();
    expect(streams.take(user('after'))).toMatchObject({ name: 'user:after' });
  });

  it('a gateway that drains has none', () => {
    const streams = newStreams();
    streams.drain();
    expect(streams.take(user('late'))).toBe('unavailable');
  });

  it('an event that comes while a slow reader has yet to take its last frame is written behind nothing', async () => {
    const streams = newStreams();
    const recent = new RecentEvents<EventStream>(new Map([[0, 0]]));
    const { response, request, close } = await slowReader();
    closing.push(close);
    const errors: unknown[] = [];
    response.on('error', (error) => errors.push(error));
    const stream = streamTo(response, recent);
    const exchange = { request, outgoing: response, response } as unknown as Exchange;
    streams.watch({ exchange, stream, siteId: SITE, place: placeIn(streams, user('slow')) }, () => undefined);
    let offset = 0;
    const store = (): void => {
      add(recent, offset);
      offset += 1;
      stream.goOn(false);
    };
    while (response.writableLength === 0) {
      store();
      await turn();
    }
    expect(stream.isWaiting).toBe(false);
    streams.drain();
    store();
    await turn();
    expect({ errors, ended: response.writableEnded }).toEqual({ errors: [], ended: true });
  });
});

it('an event that is published again long after it was stored is none of the recent ones', () => {
  const keptMs = 660_000;
  const recent = new RecentEvents<EventStream>(new Map([[0, 0]]), undefined, keptMs);
  const storedMs = Date.parse(AT);
  expect([storedMs, storedMs + keptMs].map((nowMs, offset) => add(recent, offset, nowMs)?.siteId)).toEqual([
    SITE,
    SITE,
  ]);
  expect(add(recent, 2, storedMs + keptMs + 1)).toBeUndefined();
});

const SITE = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const AT = '2026-01-01T00:00:00.000Z';

/** Its connection takes nothing once the kernel's buffers are full. */
async function slowReader(): Promise<{
  request: IncomingMessage;
  response: ServerResponse;
  close: () => void;
}> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = get({ port: (server.address() as AddressInfo).port }, (answer) => void answer.pause());
  client.on('error', () => undefined);
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const close = (): void => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  };
  return { request, response, close };
}

function streamTo(response: ServerResponse, recent: RecentEvents<EventStream>): EventStream {
  return new EventStream({
    site: recent.of(SITE),
    filter: { event_type: null, session_id: null, request_id: null, event_ids: null },
    position: [0],
    ids: new PositionIds([{ kid: 'a', secret: randomBytes(32) }]),
    output: { write: (frames) => response.write(frames), end: (text) => void response.end(text) },
    onMissed: () => undefined,
  });
}

function add(recent: RecentEvents<EventStream>, offset: number, nowMs = Date.now()) {
  const value = Buffer.from(
    JSON.stringify({ session_id: 's', occurred_at: AT, properties: { text: 'a'.repeat(4_000) } }),
  );
  const fact = { partition: 0, offset, siteId: SITE, receivedAt: AT, eventId: `${offset}`, value };
  return recent.add({ ...fact, next: [offset + 1] }, nowMs);
}
