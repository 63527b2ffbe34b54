import { describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { answer } from '../http/respond.js';
import { ADMIN_SECRET, EdgeHarness, type HarnessRoute } from '../testing/edge-harness.js';
import { type RawAnswer, sendRaw } from '../testing/raw-http.js';

const route = (method: string, path: string, credential: HarnessRoute['credential']): HarnessRoute => ({
  method,
  path,
  credential,
  knownQuery: new Map(),
  body: undefined,
});
const ROUTES = [
  route('GET', '/api/v1/direct', 'public'),
  route('GET', '/api/v1/public/media/:file', 'public'),
  route('GET', '/api/v1/touches', 'attribution-reader'),
  route('POST', '/api/v1/events/track', 'event-writer'),
  route('GET', '/api/admin/health', 'admin'),
];

describe('ports and turns at the edge', () => {
  it('routes of the platform are on a port of their own alone, which has no others, and are not shown to be anywhere else', async () => {
    const apart = new EdgeHarness({ routes: ROUTES, hasAdminPort: true });
    const publicOrigin = await apart.open();
    const ask = async (at: string, path: string): Promise<number | undefined> => {
      const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_SECRET}\r\n\r\n`;
      return (await sendRaw(at, [head])).status;
    };
    try {
      expect(await ask(apart.adminOrigin, '/api/admin/health')).toBe(200);
      expect(await ask(publicOrigin, '/api/admin/health')).toBe(404);
      expect(await ask(publicOrigin, '/api/v1/direct')).toBe(200);
      expect(await ask(apart.adminOrigin, '/api/v1/direct')).toBe(404);
      expect(await ask(apart.adminOrigin, '/api/v1/public/media/a')).toBe(404);
    } finally {
      await apart.close();
    }
  });

  it('a workspace whose requests wait for their turns is refused beyond the bound, and the traffic of its shop never waits', async () => {
    const bounds = {
      atOnce: 1,
      atOnceAlone: 1,
      bodiesAtOnce: Infinity,
      waiting: 1,
      waitingInAll: 1,
      longestWaitMs: 60_000,
      bytesPerSecond: 1e6,
      burstBytes: 1e6,
      aloneMs: 1e3,
    };
    const held: (() => void)[] = [];
    const busy = new EdgeHarness({
      routes: ROUTES,
      turnBounds: bounds,
      controller: (exchange) => {
        if (exchange.path === '/api/v1/touches') held.push(() => answer(exchange, 200, '{}'));
        else answer(exchange, 200, '{}');
      },
    });
    const at = await busy.open();
    const read = `X-API-Key: ${busy.apiKey(['partner_attribution:read'])}`;
    const write = `X-API-Key: ${busy.apiKey(['events:write'])}`;
    const ask = (first: string, key: string, more = ''): Promise<RawAnswer> =>
      sendRaw(at, [`${first} HTTP/1.1\r\nHost: x\r\n${key}\r\n${more}`]);
    try {
      const first = ask('GET /api/v1/touches', read, '\r\n');
      await eventually(() => held.length === 1, { message: 'a request under way' });
      const [second, third] = [
        ask('GET /api/v1/touches', read, '\r\n'),
        ask('GET /api/v1/touches', read, '\r\n'),
      ];
      const refused = await Promise.race([second, third]);
      expect(refused.status).toBe(503);
      expect(refused.headers).toContain('Retry-After: 1');
      // Only the one under way has cost something.
      expect(busy.consumed.get(`key:${busy.limitId}`)).toBe(1);
      const event = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
      expect((await ask('POST /api/v1/events/track', write, event)).status).toBe(200);
      held[0]?.();
      await eventually(() => held.length === 2, { message: 'the next one' });
      held[1]?.();
      const statuses = (await Promise.all([first, second, third])).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 200, 503]);
    } finally {
      await busy.close();
    }
  });
});
