import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { eventually } from '@truetally/testing';
import { BATCH_BOUNDS, type TurnBounds } from '../http/holder-turns.js';
import { answer } from '../http/respond.js';
import type { BodyRule, CredentialRule } from '../http/route-rules.js';
import { EdgeHarness, type HarnessRoute } from '../testing/edge-harness.js';
import { open, type RawAnswer, readAnswer, sendRaw } from '../testing/raw-http.js';

const EVENTS = 3;
/** Of each batch: its body `{}` and its events. */
const WEIGHT = 2 + EVENTS * 1_024;

const route = (path: string, credential: CredentialRule, costOf?: BodyRule['costOf']): HarnessRoute => ({
  ...{ method: 'POST', path, credential, knownQuery: new Map() },
  body: { of: [], limitBytes: 1_024, isOptional: false, costOf },
});
const ROUTES = [
  route('/api/v1/events/batch', 'event-writer-or-beacon', () => EVENTS),
  route('/api/v1/events/track', 'event-writer'),
];
/** One batch of an owner under way, whoever else is there, and two that wait. */
const BOUNDS: TurnBounds = { ...BATCH_BOUNDS, atOnce: 1, atOnceAlone: 1, waiting: 2 * WEIGHT };

describe('turns of batches', () => {
  let harness: EdgeHarness;
  let origin: string;
  let connected: Socket[];
  /** Ends of the batches that are being stored, in their order. */
  let stored: (() => void)[];

  async function start(bounds: TurnBounds = BOUNDS): Promise<void> {
    stored = [];
    connected = [];
    harness = new EdgeHarness({
      routes: ROUTES,
      batchBounds: bounds,
      controller: async (exchange) => {
        if (exchange.cost === EVENTS) await new Promise<void>((resolve) => stored.push(resolve));
        answer(exchange, 200, '{}');
      },
    });
    origin = await harness.open();
    harness.server.on('connection', (socket: Socket) => connected.push(socket));
  }

  const request = (name: string): string =>
    `POST /api/v1/events/${name} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${harness.apiKey(['events:write'])}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
  const send = (name: string): Promise<RawAnswer> => sendRaw(origin, request(name));
  const paid = (): number | undefined => harness.consumed.get(`key:${harness.limitId}`);
  const received = (bodies: number): Promise<unknown> =>
    eventually(() => harness.bodiesBegun === bodies, { message: `${bodies} bodies` });
  const storing = (batches: number): Promise<unknown> =>
    eventually(() => stored.length === batches, { message: `${batches} batches` });

  /** Sends a batch, and goes away once the gateway is so far with it. */
  async function abandon(isThere: () => Promise<unknown>): Promise<void> {
    const socket = await open(origin);
    socket.write(request('batch'));
    await isThere();
    const closed = new Promise((resolve) => connected.at(-1)?.once('close', resolve));
    socket.resetAndDestroy();
    await closed;
  }

  beforeEach(() => start());
  afterEach(() => harness.close());

  it('a batch beyond the share of its owner waits and costs nothing meanwhile, others are refused, and single events go on', async () => {
    const first = send('batch');
    await storing(1);
    const waiting = [send('batch'), send('batch')];
    await received(3);
    const refused = await send('batch');
    expect([refused.status, refused.headers]).toEqual([503, expect.stringContaining('Retry-After: 1')]);
    expect(paid()).toBe(EVENTS);
    expect((await send('track')).status).toBe(200);
    expect([stored.length, paid()]).toEqual([1, EVENTS + 1]);
    for (const count of [1, 2, 3]) {
      await storing(count);
      stored[count - 1]?.();
    }
    const answers = await Promise.all([first, ...waiting]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(paid()).toBe(3 * EVENTS + 1);
  });

  it('a batch whose client has gone away while it waited is neither stored nor paid', async () => {
    const first = send('batch');
    await storing(1);
    await abandon(() => received(2));
    const last = send('batch');
    await received(3);
    stored[0]?.();
    await storing(2);
    stored[1]?.();
    expect([(await first).status, (await last).status, paid()]).toEqual([200, 200, 2 * EVENTS]);
  });

  it('a batch costs nothing when no service is reachable any more after it has waited', async () => {
    const first = send('batch');
    await storing(1);
    const waiting = send('batch');
    await received(2);
    harness.isServing = false;
    stored[0]?.();
    expect([(await first).status, (await waiting).status, paid()]).toEqual([200, 503, EVENTS]);
  });

  it('a batch keeps its turn until it is stored, also when its client goes away before', async () => {
    await abandon(() => storing(1));
    const next = send('batch');
    await received(2);
    expect((await send('track')).status).toBe(200);
    expect(stored.length).toBe(1);
    stored[0]?.();
    await storing(2);
    stored[1]?.();
    expect((await next).status).toBe(200);
  });

  it('a batch that waits for too long is refused, and one of the lane waits like others', async () => {
    await harness.close();
    await start({ ...BOUNDS, longestWaitMs: 50 });
    const first = send('batch');
    await storing(1);
    const socket = await open(origin);
    for (const [name, status] of [
      ['track', 200],
      ['batch', 503],
      ['track', 200],
    ] as const) {
      const answered = readAnswer(socket);
      socket.write(request(name));
      expect((await answered).status).toBe(status);
      socket.removeAllListeners('data');
    }
    socket.destroy();
    stored[0]?.();
    expect([(await first).status, paid()]).toEqual([200, EVENTS + 2]);
  });
});
