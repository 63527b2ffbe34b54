import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type ServiceName, SERVICE_NAMES } from '@truetally/contracts/services';
import { type Answer, eventually, request } from '@truetally/testing';
import { fromElsewhere, type Product, sharedProduct } from '@truetally/testing-product';
import { UUID } from '@truetally/kernel';

const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const LIMIT_BYTES = 1024 * 1024;
/** Groups of each service, with and without requests. */
const WATCHED_TOPICS = [
  'ingestion.track-event',
  'management.commands',
  'attribution-ledger.record-conversion',
  'conversions.recorded.v1',
];
const EVENT = {
  event_type: 'page_view',
  session_id: 'session-1',
  context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
};

describe('interface page, section 1: envelope, errors, bodies', () => {
  let product: Product;
  let key: string;

  beforeAll(async () => {
    product = await sharedProduct();
    key = (await product.createApiKey(await product.createSite())).key;
  });

  afterAll(() => product.stop());

  function track(
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Answer<unknown>> {
    return request(`${product.baseUrl}/events/track`, {
      body,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    });
  }

  function expectError(answer: Answer<unknown>, status: number, code: string): void {
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      success: false,
      error: { code, message: expect.any(String), details: expect.any(Object) },
      meta: { timestamp: expect.stringMatching(ISO_MS), request_id: expect.any(String) },
    });
    expect(answer.headers.get('x-request-id')).toBe(answer.body.meta.request_id);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  }

  it('success is { success, data, meta: { timestamp, request_id } }', async () => {
    const answer = await track(JSON.stringify(EVENT));
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      success: true,
      data: { event_id: expect.stringMatching(UUID), timestamp: expect.stringMatching(ISO_MS) },
      meta: { timestamp: expect.stringMatching(ISO_MS), request_id: expect.stringMatching(UUID) },
    });
  });

  it('request_id is also the header X-Request-Id; a fitting one of the caller is adopted, another replaced', async () => {
    for (const [sent, isAdopted] of [
      ['my-request_0001', true],
      ['a'.repeat(64), true],
      ['short', false],
      ['a'.repeat(65), false],
      ['with space in it', false],
    ] as const) {
      const answer = await track(JSON.stringify(EVENT), { 'x-request-id': sent });
      expect(answer.headers.get('x-request-id')).toBe(answer.body.meta.request_id);
      expect(answer.body.meta.request_id === sent).toBe(isAdopted);
    }
  });

  it('details maps each field path to its messages, every broken rule at once', async () => {
    const answer = await track(JSON.stringify({ event_type: 'nope', context: { page_url: 'shop' } }));
    expectError(answer, 400, 'VALIDATION_ERROR');
    expect(Object.keys(answer.body.error?.details ?? {}).sort()).toEqual([
      'context.page_url',
      'context.user_agent',
      'event_type',
      'session_id',
    ]);
  });

  it.each([
    ['no JSON', '{"event_type":'],
    ['nothing', ''],
    ['a member named twice', '{"event_type":"page_view","event_type":"search"}'],
    ['a member named twice deep inside', '{"context":{"a":{"b":1,"\\u0062":2}}}'],
  ])('400 BAD_REQUEST for %s', async (_name, body) => {
    expectError(await track(body), 400, 'BAD_REQUEST');
  });

  it('400 BAD_REQUEST for an unknown query parameter, named in details', async () => {
    const answer = await request(`${product.baseUrl}/events/track?debug=1`, {
      json: EVENT,
      headers: { 'x-api-key': key },
    });
    expectError(answer, 400, 'BAD_REQUEST');
    expect(answer.body.error?.details).toEqual({ debug: ['is not a known query parameter'] });
    const bare = await request(`${product.baseUrl}/events/track?`, {
      json: EVENT,
      headers: { 'x-api-key': key },
    });
    expect(bare.status).toBe(201);
  });

  it.each(['/nope', '/events', '/events/track/', '/EVENTS/track', '/events/track/x', '/events/%zz'])(
    'unknown routes answer 404 in the same envelope: %s',
    async (path) => {
      expectError(await request(`${product.baseUrl}${path}`), 404, 'NOT_FOUND');
    },
  );

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])(
    '405 with code BAD_REQUEST and Allow for %s',
    async (method) => {
      const answer = await request(`${product.baseUrl}/events/track`, { method });
      expectError(answer, 405, 'BAD_REQUEST');
      expect(answer.headers.get('allow')).toBe('POST');
    },
  );

  it.each(['text/plain', 'application/xml', 'application/json; charset=latin1', ''])(
    '415 with code BAD_REQUEST for Content-Type "%s"',
    async (type) => {
      expectError(await track(JSON.stringify(EVENT), { 'content-type': type }), 415, 'BAD_REQUEST');
    },
  );

  it('bodies of at most 1 MiB: one byte more is 413', async () => {
    const padding = LIMIT_BYTES - JSON.stringify({ ...EVENT, more: '' }).length;
    const largest = JSON.stringify({ ...EVENT, more: 'x'.repeat(padding) });
    // Read completely, and then larger than one event may be.
    expectError(await track(largest), 400, 'VALIDATION_ERROR');
    expectError(await track(`${largest} `), 413, 'BAD_REQUEST');
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)(
    'Content-Encoding %s is accepted, with the same limit on the decompressed size',
    async (encoding, pack) => {
      const headers = { 'content-encoding': encoding };
      expect((await track(Buffer.from(pack(JSON.stringify(EVENT))), headers)).status).toBe(201);
      expectError(
        await track(Buffer.from(pack(Buffer.alloc(64 * LIMIT_BYTES, ' '))), headers),
        413,
        'BAD_REQUEST',
      );
      expectError(await track('{}', headers), 400, 'BAD_REQUEST');
    },
  );

  it('another Content-Encoding is 415', async () => {
    expectError(await track('{}', { 'content-encoding': 'deflate' }), 415, 'BAD_REQUEST');
  });

  it('a body that is not UTF-8 is 400', async () => {
    expectError(await track(Buffer.from([0x22, 0xff, 0x22])), 400, 'BAD_REQUEST');
  });

  it('answers have security headers and do not reveal the server software', async () => {
    const { headers } = await track(JSON.stringify(EVENT));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toContain('max-age=');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    for (const name of ['x-powered-by', 'server', 'etag']) expect(headers.get(name)).toBeNull();
  });

  it('admin routes take the admin secret, and nothing with an Origin (section 11)', async () => {
    const url = `${product.adminUrl}/health`;
    const authorization = `Bearer ${product.adminSecret}`;
    const good = await request<{ status: string }>(url, { headers: { authorization } });
    expect(good.body.data).toEqual({
      status: 'ok',
      dependencies: {
        kafka: true,
        postgres: true,
        sites: true,
        credentials: true,
        members: true,
        campaigns: true,
        experiments: true,
      },
    });
    expectError(await request(url), 401, 'UNAUTHORIZED');
    expectError(
      await request(url, { headers: { authorization: 'Bearer nope', ...fromElsewhere() } }),
      401,
      'UNAUTHORIZED',
    );
    expectError(await request(url, { headers: { 'x-api-key': key } }), 401, 'UNAUTHORIZED');
    const fromBrowser = { authorization, origin: 'https://shop.example' };
    const refused = await request(url, { headers: fromBrowser });
    expectError(refused, 403, 'FORBIDDEN');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
    expectError(await request(url, { method: 'OPTIONS', headers: preflight }), 403, 'FORBIDDEN');
  });

  it('GET /api/admin/consumers reports the lag of every group in Kafka (section 11)', async () => {
    await track(JSON.stringify(EVENT));
    const headers = { authorization: `Bearer ${product.adminSecret}` };
    const url = `${product.adminUrl}/consumers`;
    const items = await eventually(async () => {
      const { body } = await request<{ items: readonly { group: string; topic: string }[] }>(url, {
        headers,
      });
      const listed = body.data?.items ?? [];
      return WATCHED_TOPICS.every((watched) => listed.some(({ topic }) => topic === watched))
        ? listed
        : false;
    });
    const ours = new RegExp(`^(${SERVICE_NAMES.join('|')})(\\.|$)`);
    expect(items.some(({ group }) => ours.test(group))).toBe(true);
    // Groups of workers that others run are among them.
    for (const item of items) {
      expect(item).toEqual({
        group: expect.stringMatching(/./),
        topic: expect.any(String),
        partition: expect.any(Number),
        lag: expect.any(Number),
      });
    }
  });

  describe('GET /metrics of the operations port', () => {
    async function metricsOf(service: ServiceName): Promise<string> {
      const response = await fetch(`http://127.0.0.1:${product.operationsPort(service)}/metrics`);
      return response.text();
    }

    /** The value of the line with that name and, among others, those labels. */
    function valueOf(text: string, name: string, ...labels: readonly string[]): number | undefined {
      const line = text
        .split('\n')
        .find((one) => one.startsWith(`truetally_${name}{`) && labels.every((label) => one.includes(label)));
      return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')));
    }

    it('shows requests by route and status with their durations, and the lag of every group', async () => {
      await track(JSON.stringify(EVENT));
      const text = await eventually(async () => {
        const read = await metricsOf('gateway');
        return valueOf(read, 'consumer_lag', 'topic="ingestion.track-event"') === undefined ? false : read;
      });
      const labels = ['route="/api/v1/events/track"', 'status="201"'];
      expect(valueOf(text, 'http_request_duration_seconds_count', ...labels)).toBeGreaterThan(0);
      expect(valueOf(text, 'http_request_duration_seconds_sum', ...labels)).toBeGreaterThan(0);
    });

    it.each(['ingestion', 'management', 'attribution-ledger'] as const)(
      'shows connections, waiting callers and the delay of the event loop of %s',
      async (name) => {
        const text = await metricsOf(name);
        expect(valueOf(text, 'database_connections', 'state="idle"')).toBeGreaterThanOrEqual(0);
        expect(valueOf(text, 'database_waiting')).toBeGreaterThanOrEqual(0);
        expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds\{/m);
        expect(text).toMatch(/^process_start_time_seconds\{/m);
      },
    );

    it('shows a type of jobs before an attempt at one has come to nothing', async () => {
      const text = await metricsOf('management');
      expect(valueOf(text, 'job_retries_total', 'type="site.delete"')).toBeGreaterThanOrEqual(0);
    });

    it('shows the waiting facts of the outbox', async () => {
      await eventually(async () => {
        const text = await metricsOf('management');
        return ['facts', 'seconds'].every((what) => valueOf(text, 'outbox_queue', `what="${what}"`) === 0);
      });
    });
  });
});
