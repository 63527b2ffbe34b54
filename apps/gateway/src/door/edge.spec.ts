import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { answer } from '../http/respond.js';
import { idFilter } from '../http/page-query.js';
import type { CredentialRule } from '../http/route-rules.js';
import {
  ADMIN_SECRET,
  catalogueOf,
  DASHBOARD,
  EdgeHarness,
  type HarnessRoute,
  ORIGIN,
} from '../testing/edge-harness.js';
import { open, type RawAnswer, sendRaw } from '../testing/raw-http.js';
import { pathOfRequest } from './steps/form.js';

const BODY = { of: [], limitBytes: 1_024, isOptional: false, costOf: () => 3 };

function route(method: string, path: string, credential: CredentialRule, takesBody = false): HarnessRoute {
  return { method, path, credential, knownQuery: new Map(), body: takesBody ? BODY : undefined };
}

/** Answers every admitted request, except one whose controller fails. */
const AT_EDGE: HarnessRoute = {
  ...route('GET', '/api/v1/direct', 'public'),
  knownQuery: new Map([['fail', idFilter]]),
  answer: async (exchange) => {
    await Promise.resolve();
    if (exchange.query !== undefined) throw new Error('A bug.');
    answer(exchange, 200, '"direct"');
  },
};

const ROUTES = [
  AT_EDGE,
  route('POST', '/api/v1/events/track', 'event-writer', true),
  route('POST', '/api/v1/events/batch', 'event-writer-or-beacon', true),
  route('POST', '/api/v1/touches', 'touch-writer-or-beacon', true),
  route('GET', '/api/v1/touches', 'attribution-reader'),
  route('POST', '/api/v1/conversions', 'conversion-writer', true),
  route('GET', '/api/v1/sites', 'management-reader'),
  route('POST', '/api/v1/sites', 'management-writer', true),
  route('GET', '/api/v1/sites/:site_id', 'management-reader'),
  route('PATCH', '/api/v1/sites/:site_id', 'event-writer', true),
  route('GET', '/api/v1/public/media/:file', 'public'),
  route('GET', '/api/admin/health', 'admin'),
];

describe('the edge', () => {
  let harness: EdgeHarness;
  let origin: string;

  beforeEach(async () => {
    harness = new EdgeHarness({ routes: ROUTES });
    origin = await harness.open();
  });

  afterEach(() => harness.close());

  const send = (first: string, headers: readonly string[] = [], body = ''): Promise<RawAnswer> =>
    sendRaw(origin, [
      `${first} HTTP/1.1\r\nHost: x\r\n${headers.map((one) => `${one}\r\n`).join('')}\r\n${body}`,
    ]);
  const post = (path: string, headers: readonly string[], body: string): Promise<RawAnswer> =>
    send(
      `POST ${path}`,
      ['Content-Type: application/json', `Content-Length: ${body.length}`, ...headers],
      body,
    );
  const subject = (): string => `key:${harness.limitId}`;

  describe('section 3: who pays for a refusal', () => {
    it('a request that could only be answered 503 costs nothing', async () => {
      harness.isServing = false;
      const answer = await post(
        '/api/v1/events/track',
        [`X-API-Key: ${harness.apiKey(['events:write'])}`],
        '{}',
      );
      expect(answer.status).toBe(503);
      expect(harness.consumed.size).toBe(0);
      expect(answer.headers).not.toContain('X-RateLimit');
    });

    it('a 403 for a known key costs 1 and reports the remaining limit', async () => {
      const answer = await post(
        '/api/v1/conversions',
        [`X-API-Key: ${harness.apiKey(['events:write'])}`],
        '{}',
      );
      expect(answer.status).toBe(403);
      expect(answer.headers).toContain('X-RateLimit-Remaining: 999');
      expect(harness.consumed.get(subject())).toBe(1);
    });

    it('a refusal of a user without a workspace is paid from the user’s own limit', async () => {
      const answer = await send('GET /api/v1/sites', ['Authorization: Bearer somebody']);
      expect(answer.status).toBe(403);
      expect(answer.headers).toContain('X-RateLimit-Remaining: 9999');
      expect([...harness.consumed.values()]).toEqual([1]);
    });

    it('a credential that was not good enough costs nothing', async () => {
      const key = harness.apiKey(['analytics:read']);
      const refused = [
        await post('/api/v1/events/track', [`X-API-Key: ${key}`], '{}'),
        await post('/api/v1/events/track', ['X-API-Key: ck_unknown'], '{}'),
        await send('GET /api/v1/sites', [
          'Authorization: Bearer somebody',
          `X-Workspace-Id: ${randomUUID()}`,
        ]),
      ];
      expect(refused.map(({ status }) => status)).toEqual([401, 401, 404]);
      expect(harness.consumed.size).toBe(0);
    });

    it('an unreadable body costs a known caller 1, and a readable one its declared cost', async () => {
      const key = `X-API-Key: ${harness.apiKey(['events:write'])}`;
      expect((await post('/api/v1/events/track', [key], '{')).status).toBe(400);
      expect(harness.consumed.get(subject())).toBe(1);
      expect((await post('/api/v1/events/track?unknown=1', [key], '{}')).status).toBe(400);
      expect(harness.consumed.get(subject())).toBe(2);
      expect((await post('/api/v1/events/track', [key], '{}')).status).toBe(200);
      expect(harness.consumed.get(subject())).toBe(5);
    });

    it('a caller without remaining limit is refused before the body arrives', async () => {
      harness.perHour = 3;
      const key = `X-API-Key: ${harness.apiKey(['events:write'])}`;
      expect((await post('/api/v1/events/track', [key], '{}')).status).toBe(200);
      // The body never comes.
      const headers = ['Content-Type: application/json', 'Content-Length: 100', key];
      const refused = await send('POST /api/v1/events/track', headers);
      expect(refused.status).toBe(429);
      // A later refusal for its body would also consume its limit, and be 429.
      expect(harness.bodiesBegun).toBe(1);
    });
  });

  describe('section 2: pages', () => {
    it.each(['/api/admin', '/api/admin/', '/api/admin/health', '/api/admin/nothing'])(
      'pages are refused at %s, without any information',
      async (path) => {
        const headers = [`Origin: ${ORIGIN}`, `Authorization: Bearer ${ADMIN_SECRET}`];
        const answer = await send(`GET ${path}`, headers);
        expect(answer.status).toBe(403);
        expect(answer.headers).not.toContain('Access-Control');
      },
    );

    it('pages of a shop learn nothing about an address of members, whatever method they ask for', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'BREW']) {
        const asked = [`Origin: ${ORIGIN}`, `Access-Control-Request-Method: ${method}`];
        const answer = await send('OPTIONS /api/v1/sites', asked);
        expect(answer.status).toBe(204);
        expect(answer.headers).not.toContain('Access-Control');
      }
      const refused = await send('PUT /api/v1/sites', [`Origin: ${ORIGIN}`, 'Content-Length: 0']);
      expect(refused.status).toBe(405);
      expect(refused.headers).not.toContain('Access-Control');
    });

    it('pages of the dashboard learn the methods of members there, pages of a shop its own, and only these may send a key', async () => {
      const learn = async (page: string, method: string): Promise<readonly unknown[]> => {
        const asked = [`Origin: ${page}`, `Access-Control-Request-Method: ${method}`];
        const { headers } = await send('OPTIONS /api/v1/touches', asked);
        return [/Access-Control-Allow-Methods: (.*)/.exec(headers)?.[1], headers.includes('X-API-Key')];
      };
      expect(await learn(ORIGIN, 'POST')).toEqual(['POST', true]);
      expect(await learn(DASHBOARD, 'GET')).toEqual(['GET', false]);
      expect(await learn(ORIGIN, 'GET')).toEqual([undefined, false]);
      expect(await learn(DASHBOARD, 'POST')).toEqual([undefined, false]);
    });

    it('an OPTIONS request that is no preflight gets the methods, without headers of preflights', async () => {
      const answer = await send('OPTIONS /api/v1/events/track', [`Origin: ${ORIGIN}`]);
      expect(answer.status).toBe(204);
      expect(answer.headers).toContain('Allow: POST');
      expect(answer.headers).not.toContain('Access-Control-Allow-Methods');
      expect(answer.headers).not.toContain('Access-Control-Max-Age');
    });

    it('pages that no site lists get their 401 before their beacon is read', async () => {
      const headers = ['Origin: https://elsewhere.example', 'Content-Type: text/plain', 'Content-Length: 9'];
      expect((await send('POST /api/v1/events/batch', headers)).status).toBe(401);
    });

    it('a beacon over 64 KiB gets 413 before its credential is read', async () => {
      const body = JSON.stringify({ events: ['x'.repeat(70_000)] });
      const headers = [`Origin: ${ORIGIN}`, 'Content-Type: text/plain', `Content-Length: ${body.length}`];
      expect((await send('POST /api/v1/events/batch', headers, body)).status).toBe(413);
    });
  });

  it('a PATCH may name its body a merge patch, which no other method may', async () => {
    const key = `X-API-Key: ${harness.apiKey(['events:write'])}`;
    const named = ['Content-Type: application/merge-patch+json; charset=utf-8', 'Content-Length: 2', key];
    expect((await send('PATCH /api/v1/sites/1', named, '{}')).status).toBe(200);
    expect((await send('POST /api/v1/events/track', named, '{}')).status).toBe(415);
  });

  it('delays answers to wrong admin secrets, longer each time, and logs the first one; the right one is answered at once', async () => {
    const ask = async (secret: string): Promise<number> => {
      const startMs = performance.now();
      const { status } = await send('GET /api/admin/health', [`Authorization: Bearer ${secret}`]);
      expect(status).toBe(secret === ADMIN_SECRET ? 200 : 401);
      return performance.now() - startMs;
    };
    expect(await ask('wrong')).toBeGreaterThanOrEqual(245);
    expect(await ask('wrong')).toBeGreaterThanOrEqual(495);
    await ask(ADMIN_SECRET);
    expect(harness.wrongSecrets).toEqual([1]);
  });

  it('the right admin secret is known while as many wrong ones wait as may, and further wrong ones do not wait', async () => {
    const ask = async (secret: string): Promise<number | undefined> =>
      (await send('GET /api/admin/health', [`Authorization: Bearer ${secret}`])).status;
    const waiting = Array.from({ length: 8 }, () => ask('wrong'));
    const beyond = await Promise.all(Array.from({ length: 300 }, () => ask('wrong')));
    expect(new Set(beyond)).toEqual(new Set([401]));
    expect(await ask(ADMIN_SECRET)).toBe(200);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([401]));
  });

  describe('a request that two hops would interpret differently', () => {
    it.each([
      ['a fragment', 'GET /api/v1/sites#/api/admin/health'],
      ['a backslash', 'GET /api/admin\\health'],
      ['a byte beyond ASCII', 'GET /api/v1/sites\u00a0'],
      ['a broken escape', 'GET /api/v1/sites/%zz'],
      ['a user in an absolute target', 'GET http://somebody@x/api/v1/sites'],
    ])('a request with %s in its target is 400', async (_what, first) => {
      const bytes = Buffer.from(`${first} HTTP/1.1\r\nHost: x\r\n\r\n`, 'latin1');
      expect((await sendRaw(origin, bytes)).status).toBe(400);
    });

    it('a request with an Upgrade is 400, and nothing after it is read as another request', async () => {
      const socket = await open(origin);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      const closed = once(socket, 'close');
      const next = 'GET /api/v1/public/media/x HTTP/1.1\r\nHost: x\r\n\r\n';
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n${next}`);
      await closed;
      expect([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['400']);
      expect(harness.admitted).toEqual([]);
    });

    it('a request with two hosts is 400', async () => {
      expect((await send('GET /api/v1/sites', ['Host: y'])).status).toBe(400);
      expect((await send('GET /api/v1/sites', ['hOSt: x'])).status).toBe(400);
    });

    it('a request whose body has a transfer coding besides chunks is 400', async () => {
      const coded = (coding: string): Promise<RawAnswer> =>
        send('POST /api/v1/sites', [`Transfer-Encoding: ${coding}`], '0\r\n\r\n');
      expect((await coded('gzip, chunked')).status).toBe(400);
      expect((await coded('Chunked')).status).toBe(401);
    });
  });

  it('a controller gets the values of its path, decoded, and its failure is a 500', async () => {
    await send('GET /api/v1/public/media/a%20b%2Fc.png');
    expect(harness.params).toEqual([{ file: 'a b/c.png' }]);
    expect((await send('GET /api/v1/public/media/%ff.png')).status).toBe(400);
    const answered = await send('GET /api/v1/direct');
    expect([answered.status, answered.body]).toEqual([200, expect.stringContaining('"data":"direct"')]);
    expect((await send('GET /api/v1/direct?fail=1')).status).toBe(500);
    expect((await send('GET /api/v1/direct?other=1')).status).toBe(400);
  });

  it('a route is found segment by segment in any target', () => {
    const catalogue = catalogueOf(ROUTES, () => undefined);
    const piece = fc.oneof(
      fc.constantFrom(...ROUTES.flatMap(({ path }) => path.split('/'))),
      fc.constantFrom(
        '/',
        '//',
        '\\',
        '#',
        '?',
        '%2f',
        '%5c',
        '%ff',
        '..',
        '.',
        ';',
        ':',
        '\t',
        ' ',
        '@',
        'http://x',
      ),
      fc.string({ maxLength: 3 }),
    );
    const target = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('/')}`),
      fc.tuple(fc.constantFrom(...ROUTES), piece).map(([{ path }, tail]) => path.replace(/:\w+/, 'x') + tail),
    );
    fc.assert(
      fc.property(target, (url) => {
        const request = Object.assign(new IncomingMessage(new Socket()), { url, method: 'GET' });
        const path = pathOfRequest(request);
        if (path === undefined) return;
        const here = catalogue.at(path);
        const found = here === undefined ? [] : [...here.methods.values()].map((one) => one.path);
        expect(new Set(found)).toEqual(
          new Set(ROUTES.filter((one) => fits(one.path, path)).map((one) => one.path)),
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Whether each segment is the route's, or stands for its value. */
function fits(declared: string, path: string): boolean {
  const [segments, values] = [declared.split('/'), path.split('/')];
  return (
    segments.length === values.length &&
    segments.every((segment, index) =>
      segment.startsWith(':') ? values[index] !== '' : segment === values[index],
    )
  );
}
