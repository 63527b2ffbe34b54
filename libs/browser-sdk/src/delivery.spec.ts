import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OUTBOX_LIMIT } from './limits.js';
import { MemoryStorage } from './testing/memory-storage.js';
import { HOUR_MS, open, OPTIONS, view } from './testing/open-page.js';
import { type Behaviour, SimulatedPage, SimulatedService } from './testing/simulated-page.js';

describe('the delivery of captured events', () => {
  it('a flush proves each event, and reports it once', async () => {
    const { page, service } = open();
    const id = page.client.track('product_view', view);
    const flushed = page.client.flush();
    await page.pass(0);
    expect(await flushed).toEqual([
      {
        client_event_id: id,
        status: 'stored',
        event_id: id,
        timestamp: expect.any(String),
        request_id: 'request',
      },
    ]);
    expect(service.requests.map(({ path }) => path)).toEqual(['/runtime/tokens', '/events/batch']);
    const again = page.client.flush();
    await page.pass(0);
    expect(await again).toEqual([]);
  });

  it('a capture stamps time and id once, whatever happens before the event passes', async () => {
    const { page, service } = open();
    const capturedMs = service.nowMs;
    service.behaviour = 'lose-answer';
    const id = page.client.track('product_view', view);
    await page.pass(20_000);
    service.behaviour = 'accept';
    await page.pass(2 * HOUR_MS);
    const copies = service.requests.flatMap(({ body }) => body.events ?? []);
    expect(copies.length).toBeGreaterThan(1);
    expect(new Set(copies.map((event) => JSON.stringify(event))).size).toBe(1);
    expect(copies[0]).toMatchObject({
      client_event_id: id,
      occurred_at: new Date(capturedMs).toISOString(),
    });
    expect(page.client.diagnostics().waiting).toBe(0);
  });

  it('a page sends at most 100 events and 256 KiB in a request', async () => {
    const { page, service } = open();
    for (let index = 0; index < 250; index += 1) page.client.track('product_view', view);
    for (let index = 0; index < 10; index += 1)
      page.client.track('search', { query: 'shoes', filler: 'é'.repeat(25_000) });
    await page.pass(1000);
    const sizes = service.requests.slice(1).map(({ body }) => body.events.length);
    expect(sizes.slice(0, 2)).toEqual([100, 100]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(260);
    for (const { body } of service.requests)
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(260 * 1024);
  });

  it('a page keeps silent until the reset of a 429, also on the next page', async () => {
    const { page, service } = open();
    service.behaviour = 'over-limit';
    page.client.track('product_view', view);
    await page.pass(10_000);
    expect(service.requests.length).toBe(2);
    page.kill();
    service.behaviour = 'accept';
    const next = open(service, page.storage as MemoryStorage).page;
    await next.pass(45_000);
    expect(service.requests.length).toBe(2);
    await next.pass(10_000);
    expect(service.stored.size).toBe(1);
  });

  it('a page sends fewer events at a time to a site whose hour cannot hold more', async () => {
    const { page, service } = open();
    service.limit = 30;
    for (let index = 0; index < 100; index += 1) page.client.track('product_view', view);
    await page.pass(10 * HOUR_MS);
    expect(service.stored.size).toBe(100);
  });

  it('a page that follows one whose batch its hour could not hold sends fewer events, too', async () => {
    const { page, service } = open();
    service.limit = 30;
    for (let index = 0; index < 40; index += 1) page.client.track('product_view', view);
    await page.pass(1000);
    expect(service.stored.size).toBe(0);
    page.kill();
    service.nowMs += 2 * HOUR_MS;
    await open(service, page.storage as MemoryStorage).page.pass(1000);
    expect(service.stored.size).toBeGreaterThan(0);
  });

  it('a page gives up an answer that stops in its middle, and asks again', async () => {
    const { page, service } = open();
    service.behaviour = 'half-answer';
    const id = page.client.track('product_view', view) ?? '';
    await page.pass(1000);
    service.behaviour = 'accept';
    await page.pass(60_000);
    expect(service.stored.get(id)).toMatchObject({ copies: 2, acknowledged: 1 });
    expect(page.client.diagnostics().waiting).toBe(0);
  });

  it('a page backs off from a service that is unavailable, and ends after 8 attempts until something happens', async () => {
    const { page, service } = open();
    service.behaviour = 'unavailable';
    page.client.track('product_view', view);
    await page.pass(HOUR_MS);
    const times = service.requests.map(({ atMs }) => atMs);
    expect(times.length).toBe(8);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000]);
    service.behaviour = 'accept';
    page.show();
    await page.pass(1000);
    expect(service.stored.size).toBe(1);
  });

  it('a page that is shown while its last attempt is under way makes another one', async () => {
    const { page, service } = open();
    service.behaviour = 'unavailable';
    page.client.track('product_view', view);
    await page.pass(35_000);
    service.behaviour = 'half-answer';
    await page.pass(30_000);
    expect(service.requests.length).toBe(9);
    service.behaviour = 'accept';
    page.show();
    await page.pass(HOUR_MS);
    expect([...service.stored.values()]).toMatchObject([{ acknowledged: 1 }]);
  });

  it('a page whose network is back sends at once', async () => {
    const { page, service } = open();
    service.behaviour = 'offline';
    page.client.track('product_view', view);
    await page.pass(62_000);
    service.behaviour = 'accept';
    page.connect();
    await page.pass(0);
    expect(service.stored.size).toBe(1);
  });

  it('a user keeps any id for the session, and loses it with null', async () => {
    const { page, service } = open();
    for (const userId of ['a b  c', '\ud800', null]) {
      page.client.identify(userId);
      page.client.page();
    }
    await page.pass(1000);
    const users = [...service.stored.values()].map(({ event }) => (event as { user_id?: string }).user_id);
    expect(users).toEqual(['a b  c', '\ud800', undefined]);
  });

  it('a page renews a token that has expired, and loses nothing', async () => {
    const { page, service } = open();
    page.client.track('product_view', view);
    await page.pass(1000);
    service.behaviour = 'expire-token';
    page.client.track('product_view', view);
    await page.pass(1000);
    expect(service.stored.size).toBe(2);
    expect(service.requests.filter(({ path }) => path === '/runtime/tokens').length).toBe(2);
  });

  it('a page reports an item that will never pass, and never sends it again', async () => {
    const { page, service, errors } = open();
    const refused = page.client.track('product_view', { ...view, refuse: true });
    const taken = page.client.track('product_view', view);
    const flushed = page.client.flush();
    await page.pass(HOUR_MS);
    expect(await flushed).toMatchObject([
      { client_event_id: refused, status: 'failed', error: { code: 'VALIDATION_ERROR' } },
      { client_event_id: taken, status: 'stored' },
    ]);
    expect(errors).toMatchObject([
      { code: 'VALIDATION_ERROR', client_event_id: refused, request_id: 'request' },
    ]);
    expect(service.requests.length).toBe(2);
  });

  it('a page hands what waits to a beacon when the page goes, and keeps it until it is acknowledged', async () => {
    const { page, service } = open();
    page.client.track('product_view', view);
    await page.pass(1000);
    for (let index = 0; index < 5; index += 1) page.client.track('product_view', view);
    page.hide();
    expect(service.stored.size).toBe(6);
    expect(page.client.diagnostics().waiting).toBe(5);
    page.kill();
    const next = open(service, page.storage as MemoryStorage).page;
    await next.pass(1000);
    expect(next.client.diagnostics().waiting).toBe(0);
    expect(service.stored.size).toBe(6);
  });

  it('the outbox gives the oldest away beyond the cap, and says so', async () => {
    const { page, service, errors } = open();
    service.behaviour = 'offline';
    const ids = Array.from({ length: OUTBOX_LIMIT + 2 }, () => page.client.track('product_view', view));
    expect(errors).toMatchObject([
      { code: 'OUTBOX_FULL', client_event_id: ids[0] },
      { code: 'OUTBOX_FULL', client_event_id: ids[1] },
    ]);
    expect(page.client.diagnostics()).toMatchObject({ waiting: OUTBOX_LIMIT, dropped: 2 });
  });

  it.each([
    ['refused', undefined],
    ['full', new MemoryStorage(10)],
  ])('a page works from memory where storage is %s', async (_, storage) => {
    const page = new SimulatedPage(new SimulatedService(), storage);
    page.client.init(OPTIONS);
    page.client.track('product_view', view);
    expect(page.client.diagnostics()).toMatchObject({ waiting: 1, storage: 'memory' });
    const flushed = page.client.flush();
    await page.pass(0);
    expect(await flushed).toMatchObject([{ status: 'stored' }]);
  });

  it('the diagnostics tell a support engineer about requests, and never a token', async () => {
    const { page, service } = open();
    service.behaviour = 'unavailable';
    page.client.track('product_view', view);
    await page.pass(400);
    service.behaviour = 'accept';
    await page.pass(60_000);
    const diagnostics = page.client.diagnostics();
    expect(diagnostics.requests).toMatchObject([
      {
        method: 'POST',
        path: '/runtime/tokens',
        status: 503,
        request_id: 'request',
        error: { code: 'INTERNAL_ERROR' },
      },
      { path: '/runtime/tokens', status: 201 },
      { path: '/events/batch', status: 207, at: expect.stringMatching(/Z$/) },
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain('token-1');
  });
});

type Step =
  | { readonly do: 'capture' | 'refused' | 'hide' | 'show' | 'reload' | 'flush' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'service'; readonly behaviour: Behaviour };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>({ do: 'capture' }) },
    fc
      .constantFrom<'refused' | 'hide' | 'show' | 'reload' | 'flush'>(
        'refused',
        'hide',
        'show',
        'reload',
        'flush',
      )
      .map((name): Step => ({ do: name })),
    fc.integer({ min: 0, max: 100_000 }).map((ms): Step => ({ do: 'wait', ms })),
    fc
      .constantFrom<Behaviour>(
        'accept',
        'lose-answer',
        'half-answer',
        'offline',
        'unavailable',
        'over-limit',
        'expire-token',
      )
      .map((behaviour): Step => ({ do: 'service', behaviour })),
  ),
  { maxLength: 40 },
);

describe('any sequence of captures, answers, failures and reloads', () => {
  it('the service stores each event once, acknowledges it once, and drops none', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const service = new SimulatedService();
        const storage = new MemoryStorage();
        let { page } = open(service, storage);
        const captured: (string | undefined)[] = [];
        for (const step of sequence) {
          if (step.do === 'capture') captured.push(page.client.track('product_view', view));
          if (step.do === 'refused') page.client.track('product_view', { ...view, refuse: true });
          if (step.do === 'hide') page.hide();
          if (step.do === 'show') page.show();
          if (step.do === 'flush') void page.client.flush(1000);
          if (step.do === 'wait') await page.pass(step.ms);
          if (step.do === 'service') service.behaviour = step.behaviour;
          if (step.do === 'reload') {
            page.kill();
            ({ page } = open(service, storage));
          }
        }
        service.behaviour = 'accept';
        page.show();
        await page.pass(2 * HOUR_MS);
        expect([...service.stored.keys()].toSorted()).toEqual(captured.toSorted());
        expect([...service.stored.values()].filter(({ acknowledged }) => acknowledged !== 1)).toEqual([]);
        expect(page.client.diagnostics().waiting).toBe(0);
      }),
      { numRuns: 100 },
    );
  });
});
