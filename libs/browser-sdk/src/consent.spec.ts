import { describe, expect, it } from '@jest/globals';
import type { StartParts, Tools } from './client.js';
import { OUTBOX_LIMIT } from './limits.js';
import { MemoryStorage } from './testing/memory-storage.js';
import { HOUR_MS, open, OPTIONS, view } from './testing/open-page.js';
import { SimulatedPage, SimulatedService } from './testing/simulated-page.js';
import { sendTouches } from './touches.js';
import type { SdkError } from './types.js';

describe('consent', () => {
  it('consent withheld until the visitor gives it leaves nothing in the storage and on the network', async () => {
    const { page, service } = open(undefined, undefined, { consent: 'required' });
    const id = page.client.track('product_view', view);
    page.client.identify('user-1');
    page.client.page();
    await page.pass(HOUR_MS);
    page.hide();
    expect(service.requests).toEqual([]);
    expect(Object.keys(page.storage ?? { none: true })).toEqual([]);
    page.client.setConsent('granted');
    await page.pass(1000);
    expect([...service.stored.keys()][0]).toBe(id);
    expect([...service.stored.values()].map(({ event }) => (event as { user_id?: string }).user_id)).toEqual([
      undefined,
      'user-1',
    ]);
  });

  it('consent withdrawn clears what waits and what was stored', async () => {
    const { page, service } = open();
    service.behaviour = 'offline';
    page.client.track('product_view', view);
    await page.pass(1000);
    page.client.setConsent('denied');
    service.behaviour = 'accept';
    expect(page.client.track('product_view', view)).toBeUndefined();
    page.show();
    await page.pass(HOUR_MS);
    expect(service.stored.size).toBe(0);
    expect(Object.keys(page.storage ?? { none: true })).toEqual([]);
  });

  it('consent refused before the site is known clears what earlier visits have stored', async () => {
    const service = new SimulatedService();
    service.behaviour = 'offline';
    const earlier = open(service);
    earlier.page.client.track('product_view', view);
    await earlier.page.pass(1000);
    const page = new SimulatedPage(service, earlier.page.storage);
    page.client.setConsent('denied');
    page.client.init({ ...OPTIONS, consent: 'required' });
    expect(Object.keys(page.storage ?? { none: true })).toEqual([]);
  });

  it('consent given in another tab stays when a tab that has refused it before is seen again', async () => {
    const { page, service } = open();
    page.client.setConsent('denied');
    const other = new SimulatedPage(service, page.storage);
    other.client.init(OPTIONS);
    other.client.track('product_view', view);
    page.hide();
    page.show();
    await other.pass(1000);
    expect(service.stored.size).toBe(1);
  });

  it('consent outlasts that another tab clears all of the storage while this one is hidden', async () => {
    const { page, service } = open();
    page.client.track('product_view', view);
    await page.pass(1000);
    page.hide();
    for (const key of Object.keys(page.storage ?? {})) page.storage?.removeItem(key);
    page.hear(null, null);
    page.show();
    page.client.track('product_view', view);
    await page.pass(1000);
    expect(service.stored.size).toBe(2);
  });

  it('consent that is misspelt is none: nothing is stored and sent until the visitor gives it', async () => {
    const { page, service } = open(undefined, undefined, { consent: 'Required' as 'required' });
    page.client.track('product_view', view);
    await page.pass(HOUR_MS);
    expect([service.requests, Object.keys(page.storage ?? { none: true })]).toEqual([[], []]);
    page.client.setConsent('granted');
    await page.pass(1000);
    expect(service.stored.size).toBe(1);
  });
});

describe('a page that the browser opens in advance', () => {
  it('a page that nobody sees stores and sends nothing, and counts its view when somebody does', async () => {
    const service = new SimulatedService();
    const page = new SimulatedPage(service, new MemoryStorage());
    page.isAhead = true;
    page.client.init(OPTIONS);
    const id = page.client.page();
    page.hide();
    await page.pass(HOUR_MS);
    expect([service.requests, Object.keys(page.storage ?? { none: true })]).toEqual([[], []]);
    page.isAhead = false;
    page.show();
    await page.pass(1000);
    expect([...service.stored.keys()]).toEqual([id]);
  });
});

describe('consent that comes late or goes early', () => {
  it('the oldest of too many events that wait for it has failed, and nothing waits for that', async () => {
    const { page, errors } = open(undefined, undefined, { consent: 'required' });
    const [first] = Array.from({ length: OUTBOX_LIMIT + 1 }, () => page.client.track('product_view', view));
    expect(errors).toMatchObject([{ code: 'OUTBOX_FULL', client_event_id: first }]);
    page.client.setConsent('granted');
    const flushed = page.client.flush();
    await page.pass(1000);
    expect((await flushed).map(({ status }) => status)).toEqual(Array(OUTBOX_LIMIT).fill('stored'));
  });

  it('what is loaded later stores nothing after its consent has gone', async () => {
    const answered = Promise.withResolvers<undefined>();
    const ends: Promise<void>[] = [];
    const page = new SimulatedPage(new SimulatedService(), new MemoryStorage(), () =>
      Promise.resolve(({ visitor, store }) => {
        const end = answered.promise.then(() => {
          visitor.identity();
          store.write('touched', '1');
        });
        ends.push(end);
        return end;
      }),
    );
    page.client.init({ ...OPTIONS, campaigns: true });
    await page.pass(0);
    page.client.setConsent('denied');
    answered.resolve(undefined);
    await Promise.all(ends);
    expect(ends.length).toBe(1);
    expect(Object.keys(page.storage ?? { none: true })).toEqual([]);
  });

  it('what has loaded when its consent has gone finds its sender ended, and that of the next consent goes on', async () => {
    const loaded = Promise.withResolvers<StartParts>();
    const begun: Tools[] = [];
    const page = new SimulatedPage(new SimulatedService(), new MemoryStorage(), () => loaded.promise);
    page.client.init({ ...OPTIONS, campaigns: true });
    page.client.setConsent('denied');
    page.client.setConsent('granted');
    loaded.resolve((tools) => Promise.resolve(void begun.push(tools)));
    await page.pass(0);
    expect(begun.map(({ sender }) => sender.ended.aborted)).toEqual([true, false]);
  });
});

it('a landing that is loaded anew before its answer keeps the touch that may be on its way', () => {
  const storage = new MemoryStorage();
  const landing = 'https://shop.example/?awc=1';
  const key = `truetally:${OPTIONS.siteId}:l.${landing}`;
  storage.setItem(key, '{"touch_id":"first"}');
  new SimulatedPage(new SimulatedService(), storage, undefined, landing).client.init(OPTIONS);
  expect(storage.getItem(key)).toBe('{"touch_id":"first"}');
});

it('a landing whose page or site is refused is sent by a later visit, once', async () => {
  const service = new SimulatedService();
  const storage = new MemoryStorage();
  const errors: SdkError[] = [];
  const visit = async (address?: string): Promise<void> => {
    const page = new SimulatedPage(service, storage, () => Promise.resolve(sendTouches), address);
    page.client.init({ ...OPTIONS, onError: (error) => errors.push(error) });
    await page.pass(HOUR_MS);
  };
  const sent = (): number => service.requests.filter(({ path }) => path.endsWith('/touches')).length;
  service.behaviour = 'refuse';
  await visit('https://shop.example/?awc=1');
  expect([sent(), errors]).toEqual([0, [expect.objectContaining({ code: 'FORBIDDEN' })]]);
  service.behaviour = 'accept';
  await visit();
  await visit();
  expect(sent()).toBe(1);
});

it('a landing whose stored time or address is none keeps no other one back', async () => {
  const service = new SimulatedService();
  const storage = new MemoryStorage();
  const spoilt = ['x', '9'.repeat(20), `-${'9'.repeat(20)}`];
  for (const [at, time] of spoilt.entries())
    storage.setItem(`truetally:${OPTIONS.siteId}:l.https://shop.example/?awc=${at}`, time);
  storage.setItem(`truetally:${OPTIONS.siteId}:l.nowhere`, '1');
  const landing = 'https://shop.example/?awc=good';
  const page = new SimulatedPage(service, storage, () => Promise.resolve(sendTouches), landing);
  page.client.init(OPTIONS);
  await page.pass(HOUR_MS);
  const sent = service.requests.filter(({ path }) => path.endsWith('/touches'));
  expect(sent.some(({ body }) => JSON.stringify(body).includes('"provider_click_id":"good"'))).toBe(true);
});
