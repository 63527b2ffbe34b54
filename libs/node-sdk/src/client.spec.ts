import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Event, Truetally, TruetallyError, type TruetallyOptions } from './index.js';
import { lockText } from './lock-holder.js';
import { API_KEY, ClientBench, event } from './testing/client-bench.js';
import { type Behaviour, ScriptedService } from './testing/scripted-service.js';

const BEHAVIOURS: readonly Behaviour[] = [
  'answers',
  'closes-after-storing',
  'closes-before-storing',
  'is-limited',
  'is-unavailable',
  'fails-every-other-item',
  'is-not-ours',
];

const bench = ClientBench.ofEach();
const newClient = (options?: Partial<TruetallyOptions>) => bench.newClient(options);

const sequences = fc.array(fc.constantFrom(...BEHAVIOURS), { maxLength: 6 });
/** At once, because most of a run is waiting for the next attempt. */
const RUNS_AT_ONCE = 8;

async function expectEachStored(behaviours: readonly Behaviour[], count: number): Promise<void> {
  const scripted = await new ScriptedService([...behaviours]).start();
  const client = new Truetally({
    apiKey: API_KEY,
    baseUrl: scripted.baseUrl,
    closeOnSignals: false,
    batchEvents: 7,
  });
  const ids = Array.from({ length: count }, (_, index) => `e-${index}`);
  const results = await Promise.all(ids.map((id) => client.track(event(id))));
  await client.close();
  await scripted.stop();
  expect([...scripted.stored.keys()].toSorted()).toEqual(ids.toSorted());
  expect(results.map((one) => one.client_event_id)).toEqual(ids);
  expect(results.map((one) => one.event_id)).toEqual(ids.map((id) => `event-of-${id}`));
  for (const { client_event_id: id, status } of results) {
    if (status === 'stored') expect(scripted.stored.get(id)).toBe(1);
    else expect(status).toBe('duplicate');
  }
}

describe('the events of a client', () => {
  it('whatever fails for a moment, each event is stored, and its result says what the service has said', async () => {
    const runs = fc.array(fc.tuple(sequences, fc.integer({ min: 1, max: 30 })), {
      minLength: RUNS_AT_ONCE,
      maxLength: RUNS_AT_ONCE,
    });
    const property = fc.asyncProperty(runs, async (each) => {
      await Promise.all(each.map(([behaviours, count]) => expectEachStored(behaviours, count)));
    });
    await fc.assert(property, { numRuns: 1 });
  });

  it('an event gets an id and the time of its capture, which its repetitions keep', async () => {
    bench.service.behaviours = ['closes-after-storing'];
    const plain = { ...event('unused') } as Record<string, unknown>;
    delete plain['client_event_id'];
    const result = await newClient().track(plain as unknown as Event);
    const [first, second] = bench.service.requests.map(
      ({ body }) => JSON.parse(body) as { readonly events: readonly Event[] },
    );
    expect(result.status).toBe('duplicate');
    expect(first).toEqual(second);
    expect(first?.events[0]?.client_event_id).toBe(result.client_event_id);
    expect(Date.parse(String(first?.events[0]?.occurred_at))).not.toBeNaN();
  });

  it('events of one turn share requests of at most a hundred', async () => {
    const client = newClient();
    await Promise.all(Array.from({ length: 250 }, (_, index) => client.track(event(`e-${index}`))));
    const sizes = bench.service.requests.map(
      ({ body }) => (JSON.parse(body) as { readonly events: readonly Event[] }).events.length,
    );
    expect(sizes).toEqual([100, 100, 50]);
  });

  it('an event that breaks a rule fails alone, and with its reason', async () => {
    const client = newClient();
    const results = await Promise.all([
      client.track(event('a')),
      client.track(event('b', 'invalid')),
      client.track(event('c', 'unreadable')),
      client.track(event('d')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['stored', 'failed', 'failed', 'stored']);
    // The field of the event that was given: its place in a batch is the client's own.
    expect(results[1]?.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'properties.query': ['is required'] },
    });
    expect(await client.flush()).toEqual({ stored: 2, duplicates: 0, failed: 2, pending: 0 });
  });

  it('what is left of an allowance is used by a smaller batch', async () => {
    bench.service.allowance = 3;
    const client = newClient();
    const results = await Promise.all(
      Array.from({ length: 7 }, (_, index) => client.track(event(`e-${index}`))),
    );
    expect(results.every(({ status }) => status === 'stored')).toBe(true);
  });

  it('an event that is too large, or no JSON, or too many for the queue, fails at once', async () => {
    const client = newClient({ maxQueuedEvents: 1 });
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    const first = client.track(event('first'));
    const codes = await Promise.all([
      client.track({ ...event('large'), properties: { text: 'x'.repeat(70_000) } } as Event),
      client.track({ ...event('loop'), properties: loop } as Event),
      client.track(event('one-more')),
    ]);
    expect(codes.map(({ error }) => error?.code)).toEqual(['EVENT_TOO_LARGE', 'INVALID_EVENT', 'QUEUE_FULL']);
    expect((await first).status).toBe('stored');
    await client.ready();
    expect((await client.track(event('later'))).status).toBe('stored');
  });

  it('attempts end at their maximum, and the event fails with the last reason', async () => {
    bench.service.behaviours = ['is-limited', 'is-unavailable', 'is-unavailable', 'is-limited'];
    const client = newClient({ maxAttempts: 2 });
    for (const code of ['INTERNAL_ERROR', 'RATE_LIMIT_EXCEEDED']) {
      const result = await client.track(event(code));
      expect(result).toMatchObject({ status: 'failed', error: { code }, request_id: 'request-0001' });
    }
    expect(bench.service.requests).toHaveLength(4);
  });

  it('a closed client takes no event, and says so', async () => {
    const client = newClient();
    await client.close();
    expect((await client.track(event('late'))).error?.code).toBe('CLOSED');
  });
});

describe('an outbox', () => {
  it('what one process could not send, the next one sends, and nothing stays behind', async () => {
    bench.service.behaviours = Array.from({ length: 50 }, () => 'is-unavailable' as const);
    const first = newClient({ outbox: bench.folder });
    const ids = Array.from({ length: 30 }, (_, index) => `e-${index}`);
    const results = Promise.all(ids.map((id) => first.track(event(id))));
    await first.close(1);
    expect((await results).every(({ error }) => error?.code === 'CLOSED')).toBe(true);
    bench.service.behaviours = [];
    const second = newClient({ outbox: bench.folder });
    // The service may have taken what was under way when the first one ended.
    const { stored, duplicates, failed, pending } = await second.flush();
    expect([stored + duplicates, failed, pending]).toEqual([30, 0, 0]);
    await second.close();
    expect(bench.service.stored.size).toBe(30);
    expect(readdirSync(bench.folder)).toEqual([]);
  });

  it('an event that was refused, corrected and kept under the same id is sent by the next process', async () => {
    const first = newClient({ outbox: bench.folder });
    expect(await first.track(event('e', 'invalid'))).toMatchObject({ status: 'failed' });
    bench.service.behaviours = Array.from({ length: 50 }, () => 'is-unavailable' as const);
    void first.track(event('e'));
    await first.close(1);
    bench.service.behaviours = [];
    // The service may have taken what was under way when the first one ended, and knows it then.
    const { stored, duplicates, failed, pending } = await newClient({ outbox: bench.folder }).flush();
    expect([stored + duplicates, failed, pending]).toEqual([1, 0, 0]);
  });

  it('events beyond a thousand have further files, which go when their events are settled', async () => {
    const client = newClient({ outbox: bench.folder });
    await Promise.all(Array.from({ length: 2500 }, (_, index) => client.track(event(`e-${index}`))));
    expect(readdirSync(bench.folder).filter((name) => name.endsWith('.ndjson'))).toHaveLength(1);
  });

  it('a folder is used by one living process, and a lock of a dead one is taken over', () => {
    const options = { apiKey: API_KEY, baseUrl: bench.service.baseUrl, outbox: bench.folder };
    writeFileSync(join(bench.folder, 'lock'), String(process.ppid));
    expect(() => new Truetally(options)).toThrow(`in use by process ${process.ppid}`);
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(join(bench.folder, 'lock'), String(pid));
    newClient(options);
    expect(readFileSync(join(bench.folder, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid}( |$)`));
  });

  it('a lock is taken over whose process is dead, although its id is that of a living one by now', () => {
    const options = { apiKey: API_KEY, baseUrl: bench.service.baseUrl, outbox: bench.folder };
    writeFileSync(join(bench.folder, 'lock'), `${process.ppid} another-boot 1`);
    newClient(options);
    expect(readFileSync(join(bench.folder, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
  });

  it('a lock names its process so that a second one sees it alive', () => {
    writeFileSync(join(bench.folder, 'lock'), lockText(process.ppid));
    const options = { apiKey: API_KEY, baseUrl: bench.service.baseUrl, outbox: bench.folder };
    expect(() => new Truetally(options)).toThrow(`in use by process ${process.ppid}`);
  });
});

describe('a conversion', () => {
  const purchase = {
    schema_version: 1 as const,
    idempotency_key: 'order-1',
    website_id: 'site',
    order_id: 'order-1',
    occurred_at: '2026-01-31T09:30:00Z',
    currency: 'EUR',
    revenue: '10.00',
    commissionable_subtotal: '10.00',
    tax: '0.00',
    shipping: '0.00',
    discount: '0.00',
    lines: [
      {
        line_id: '1',
        sku: 'SKU-1',
        quantity: 1,
        unit_price: '10.00',
        subtotal: '10.00',
        discount: '0.00',
        commissionable_amount: '10.00',
      },
    ],
  };
  const accepted = { status: 201, body: { success: true, data: { authoritative: true, record_id: 'r-1' } } };

  it('a conversion is sent in its envelope, and again with the same key until it is answered', async () => {
    const answers = [{ status: 503, body: {} }, accepted];
    bench.service.other = () => answers.shift() ?? accepted;
    const record = await newClient().convert(purchase);
    expect(record).toMatchObject({ authoritative: true, record_id: 'r-1' });
    const bodies = bench.service.requests.map(({ body }) => JSON.parse(body) as unknown);
    const envelope = { event_type: 'purchase', conversion: purchase };
    expect(bodies).toEqual([envelope, envelope]);
  });

  it('a conversion with a wrong sum is not sent, and the error names the sum', async () => {
    const wrong = newClient().convert({ ...purchase, revenue: '10.01' });
    await expect(wrong).rejects.toMatchObject({
      code: 'CONVERSION_FAULTS',
      details: { revenue: [expect.stringContaining('expected 10.00, got 10.01')] },
    });
    expect(bench.service.requests).toEqual([]);
  });

  it('a conflict is told with its request id, and not tried again', async () => {
    const error = { code: 'CONFLICT', message: 'The order is cancelled.', details: {} };
    bench.service.other = () => ({ status: 409, body: { success: false, error } });
    const thrown = await newClient()
      .convert(purchase)
      .catch((one: unknown) => one);
    expect(thrown).toBeInstanceOf(TruetallyError);
    expect(thrown).toMatchObject({
      code: 'CONFLICT',
      status: 409,
      requestId: 'request-0001',
      isRetryable: false,
    });
    expect(bench.service.requests).toHaveLength(1);
  });
});

describe('reads and diagnostics', () => {
  it('the items of a list are read page by page', async () => {
    const pages: Readonly<Record<string, object>> = {
      '/api/v1/partner-attribution/touches?website_id=w': { items: [1, 2], next_cursor: 'c 1' },
      '/api/v1/partner-attribution/touches?website_id=w&cursor=c+1': { items: [3], next_cursor: null },
    };
    bench.service.other = ({ path }) => ({ status: 200, body: { success: true, data: pages[path] } });
    const items: unknown[] = [];
    const request = { url: '/api/v1/partner-attribution/touches' as const, query: { website_id: 'w' } };
    for await (const item of newClient().items(request)) items.push(item);
    expect(items).toEqual([1, 2, 3]);
  });

  it('diagnostics name requests and the prefix of the key, and never a credential or content', async () => {
    bench.service.other = () => ({
      status: 401,
      body: {
        success: false,
        error: { code: 'UNAUTHORIZED', message: `The key ${API_KEY} is unknown.`, details: {} },
      },
    });
    const client = newClient();
    await expect(client.readOrder('order 1', 'site-1')).rejects.toMatchObject({ status: 401 });
    const diagnostics = client.diagnostics();
    expect(diagnostics.api_key_prefix).toBe('ck_abcdefgh');
    expect(diagnostics.requests).toMatchObject([
      {
        method: 'GET',
        path: '/partner-attribution/orders/order%201',
        status: 401,
        request_id: 'request-0001',
      },
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain(API_KEY);
  });
});
