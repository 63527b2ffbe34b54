import { describe, expect, it } from '@jest/globals';
import type { Tools } from './client.js';
import { open, OPTIONS } from './testing/open-page.js';
import { MemoryStorage } from './testing/memory-storage.js';
import type { SdkError } from './types.js';
import { SimulatedPage, SimulatedService } from './testing/simulated-page.js';

const DAY_MS = 86_400_000;
const view = { product_id: 'SKU-1' };

describe('a browser whose clock is wrong', () => {
  it.each([-2 * DAY_MS, 3 * DAY_MS])(
    'an event has the time of the service, whose clock is %d ms ahead',
    async (aheadMs) => {
      const service = new SimulatedService();
      const page = new SimulatedPage(service, new MemoryStorage());
      page.client.init({ siteId: 'site', endpoint: 'https://api.example/api/v1' });
      service.aheadMs = aheadMs;
      const capturedMs = service.nowMs + aheadMs;
      page.client.track('product_view', { ...view, note: '"occurred_at":"2020-01-01T00:00:00.000Z"' });
      await page.pass(1000);
      // A shop's own member of that name stays what it is.
      page.client.track('product_view', { ...view, occurred_at: 1 });
      page.hide();
      const events = service.requests.flatMap(({ body }) => body.events ?? []);
      expect(events.map(({ occurred_at }) => occurred_at)).toEqual([new Date(capturedMs).toISOString()]);
      expect(events[0]?.properties).toMatchObject({ note: '"occurred_at":"2020-01-01T00:00:00.000Z"' });
      const times = [...service.stored.values()].map(({ event }) => Date.parse(event.occurred_at));
      expect(times).toEqual([capturedMs, capturedMs + 1000]);
      expect([...service.stored.values()].at(1)?.event.properties).toEqual({ ...view, occurred_at: 1 });
    },
  );

  it('an event whose stored time is no time keeps no other one back', async () => {
    const service = new SimulatedService();
    const storage = new MemoryStorage();
    const page = new SimulatedPage(service, storage);
    page.client.init({ siteId: 'site', endpoint: 'https://api.example/api/v1' });
    service.behaviour = 'offline';
    const spoilt = page.client.track('product_view', view);
    for (const [key, value] of Object.entries(storage as unknown as Record<string, string>))
      storage.setItem(key, value.replace(/(?<="occurred_at":)\d+/, '9'.repeat(20)));
    const id = page.client.track('product_view', view);
    await page.pass(1000);
    const next = new SimulatedPage(service, storage);
    service.behaviour = 'accept';
    next.client.init({ siteId: 'site', endpoint: 'https://api.example/api/v1' });
    await next.pass(60_000);
    expect([...service.stored.keys()]).toEqual([spoilt, id]);
  });

  it.each([-2 * DAY_MS, 3 * DAY_MS])(
    'each event keeps the time that it was, also behind a failure, when a clock %d ms wrong is set right',
    async (wrongByMs) => {
      const service = new SimulatedService();
      service.aheadMs = -wrongByMs;
      const page = new SimulatedPage(service, new MemoryStorage());
      page.client.init({ siteId: 'site', endpoint: 'https://api.example/api/v1' });
      const beganMs = service.nowMs - wrongByMs;
      page.client.track('product_view', view);
      await page.pass(1000);
      service.behaviour = 'offline';
      page.client.track('product_view', view);
      await page.pass(1000);
      page.setClock(-wrongByMs);
      service.aheadMs = 0;
      service.behaviour = 'accept';
      page.client.track('product_view', view);
      await page.pass(60_000);
      const times = [...service.stored.values()].map(({ event }) => Date.parse(event.occurred_at) - beganMs);
      expect(times).toEqual([0, 1000, 2000]);
    },
  );

  it('events behind a backoff are sent at once, although the clock was set back by a day in it', async () => {
    const service = new SimulatedService();
    const page = new SimulatedPage(service, new MemoryStorage());
    page.client.init({ siteId: 'site', endpoint: 'https://api.example/api/v1' });
    service.behaviour = 'unavailable';
    page.client.track('product_view', view);
    await page.pass(1000);
    service.behaviour = 'accept';
    page.setClock(-DAY_MS);
    for (const count of [1, 2]) {
      await page.pass(60_000);
      expect(service.stored.size).toBe(count);
      page.client.track('product_view', view);
    }
  });

  it('a pause from before the clock was set back by a year ends with the next visit', async () => {
    const service = new SimulatedService();
    const storage = new MemoryStorage();
    const visit = (): SimulatedPage => {
      const page = new SimulatedPage(service, storage);
      page.client.init({ siteId: 'site', endpoint: 'https://api.example/api/v1' });
      page.client.track('product_view', view);
      return page;
    };
    service.behaviour = 'over-limit';
    const first = visit();
    await first.pass(1000);
    expect(first.client.diagnostics().paused_until).toBeGreaterThan(service.nowMs);
    first.kill();
    service.behaviour = 'accept';
    service.nowMs -= 365 * DAY_MS;
    const second = visit();
    expect(second.client.diagnostics().paused_until).toBe(0);
    await second.pass(1000);
    expect(service.stored.size).toBe(2);
  });
});

it('a page remembers as handed over only what still waits, however long it lives', async () => {
  const opened: Tools[] = [];
  const page = new SimulatedPage(new SimulatedService(), new MemoryStorage(), () =>
    Promise.resolve((tools) => Promise.resolve(void opened.push(tools))),
  );
  page.client.init({ ...OPTIONS, campaigns: true });
  await page.pass(0);
  const skipped: (number | undefined)[] = [];
  for (const { outbox } of opened) {
    const next = outbox.next.bind(outbox);
    Object.assign(outbox, {
      next: (items: number, bytes: number, known?: ReadonlySet<string>) => {
        if (known !== undefined) skipped.push(known.size);
        return next(items, bytes, known);
      },
    });
  }
  for (let visit = 0; visit < 5; visit += 1) {
    page.client.track('product_view', view);
    await page.pass(1000);
    page.client.track('product_view', view);
    page.hide();
    await page.pass(1000);
  }
  expect(Math.max(...skipped.map(Number))).toBe(1);
});

it('a page that no site can list says so at once, and asks for nothing', async () => {
  const service = new SimulatedService();
  const page = new SimulatedPage(service, undefined, undefined, 'about:srcdoc', true);
  const errors: SdkError[] = [];
  page.client.init({ ...OPTIONS, onError: (error) => errors.push(error) });
  const id = page.client.track('product_view', view);
  await page.pass(60_000);
  expect(errors).toMatchObject([{ code: 'INVALID_OPTIONS' }]);
  expect(await page.client.flush()).toEqual([{ client_event_id: id, status: 'pending' }]);
  expect(service.requests).toEqual([]);
});

describe('what others have stored at the origin of the shop', () => {
  it.each(['{', 'null', '7', '[]', null])(
    'a proof of another tab that is %p proves nothing and throws nothing',
    async (stored) => {
      const { page, service } = open();
      service.behaviour = 'offline';
      const id = page.client.track('product_view', view);
      page.hear('truetally:site:told', stored);
      page.hear('truetally:site:told', JSON.stringify({ client_event_id: id, status: 'stored' }));
      const flushed = page.client.flush(0);
      await page.pass(0);
      expect(await flushed).toMatchObject([{ client_event_id: id, status: 'stored' }]);
    },
  );
});

it.each([
  ['keeps nothing of what it takes', () => undefined],
  ['shows none of its keys', (kept: Map<string, string>, key: string, text: string) => kept.set(key, text)],
])('a stand-in for the storage that %s costs no event', async (_, keep) => {
  const kept = new Map<string, string>();
  const service = new SimulatedService();
  const page = new SimulatedPage(service, {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => void keep(kept, key, text),
    removeItem: (key) => void kept.delete(key),
  });
  page.client.init(OPTIONS);
  page.client.track('product_view', view);
  await page.pass(1000);
  expect([service.stored.size, page.client.diagnostics()]).toMatchObject([
    1,
    { storage: 'memory', waiting: 0 },
  ]);
});
