import { describe, expect, it } from '@jest/globals';
import { decodeTrackEvent, failedItems, type RefusedItem } from '@truetally/contracts/events';
import { eventually } from '@truetally/testing';
import { Asker } from '../ask/ask.js';
import { VisitorShares } from '../limits/visitor-shares.js';
import type { Exchange } from '../http/exchange.js';
import { MOST_ITEMS, RefusalTeller } from './refusal-teller.js';

/** A log that accepts each message when the test releases it. */
class SlowLog {
  readonly taken: [siteId: string, failed: number][] = [];
  /** Items that were told one by one, of each message. */
  readonly items: number[] = [];
  readonly errors: unknown[] = [];
  requests = 0;
  isFull = false;
  private waiting: (() => void)[] = [];

  get underWay(): number {
    return this.waiting.length;
  }

  tell({ value }: { readonly value: string }): Promise<void> {
    if (this.isFull) return Promise.reject(new Error('Too many wait.'));
    return new Promise((resolve) => {
      this.waiting.push(() => {
        const decoded = decodeTrackEvent(value);
        if (decoded.ok) {
          const { siteId, refusals } = decoded.value;
          this.taken.push([siteId, failedItems(refusals)]);
          this.items.push(refusals.items.length);
          for (const { count } of refusals.requests) this.requests += count;
        }
        resolve();
      });
    });
  }

  /** Acknowledges the sends in progress, and those that follow them. */
  async takeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      for (const take of this.waiting.splice(0)) take();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function open(): { readonly log: SlowLog; readonly refused: RefusalTeller } {
  const log = new SlowLog();
  const visitors = new VisitorShares(
    ({ url }) => url ?? '',
    () => 0,
  );
  const asker = new Asker({
    ask: () => Promise.reject(new Error('Nobody waits.')),
    tell: (sent) => log.tell(sent),
  });
  return {
    log,
    refused: new RefusalTeller(asker, visitors, { error: (details: unknown) => log.errors.push(details) }),
  };
}

function broken(count: number): readonly RefusedItem[] {
  const item = {
    requestId: 'r',
    index: null,
    eventType: null,
    clientEventId: null,
    trust: 'browser',
  } as const;
  const reason = {
    code: 'VALIDATION_ERROR',
    field: 'session_id',
    rule: 'is required',
    status: null,
  } as const;
  return Array.from({ length: count }, () => ({ ...item, ...reason }));
}

describe('refused events (interface page, section 4: conservation)', () => {
  it('leave at once, and those that come meanwhile together', async () => {
    const { log, refused } = open();
    refused.addItems('a', broken(1));
    expect(log.underWay).toBe(1);
    for (let n = 0; n < 100; n += 1) refused.addItems('a', broken(1));
    refused.addItems('b', broken(3));
    expect([log.underWay, refused.unwritten]).toEqual([1, 104]);
    await log.takeAll();
    expect(log.taken).toEqual([
      ['a', 1],
      ['a', 100],
      ['b', 3],
    ]);
    expect(refused.unwritten).toBe(0);
    refused.addItems('a', broken(2));
    expect(log.underWay).toBe(1);
  });

  it('refused events are kept while too many requests wait for Kafka', async () => {
    const { log, refused } = open();
    log.isFull = true;
    refused.addItems('a', broken(5));
    await new Promise((resolve) => setImmediate(resolve));
    expect(refused.unwritten).toBe(5);
    log.isFull = false;
    await eventually(() => log.underWay === 1);
    await log.takeAll();
    expect([log.taken, refused.unwritten]).toEqual([[['a', 5]], 0]);
  });

  it('refused events are published before the process ends, or logged', async () => {
    const { log, refused } = open();
    refused.addItems('a', broken(1));
    refused.addItems('a', broken(4));
    const closed = refused.close();
    await log.takeAll();
    await closed;
    expect(log.taken).toEqual([
      ['a', 1],
      ['a', 4],
    ]);
    log.isFull = true;
    refused.addItems('b', broken(7));
    await refused.close();
    expect(log.errors).toEqual([{ sites: { b: 7 } }]);
  });

  it('refused events do not keep a process from its end while Kafka does not answer', async () => {
    const { log, refused } = open();
    refused.addItems('a', broken(1));
    await refused.close();
    expect(log.taken).toEqual([]);
  });

  it('refused events under a flood are all counted, once, and the first of them told one by one', async () => {
    const { log, refused } = open();
    refused.addItems('a', broken(1));
    const flood = MOST_ITEMS.ofSite + 700;
    for (let n = 0; n < flood / 100; n += 1) refused.addItems('a', broken(100));
    for (const site of ['b', 'c', 'd', 'e', 'f']) refused.addItems(site, broken(MOST_ITEMS.ofSite));
    expect(refused.unwritten).toBe(1 + flood + 5 * MOST_ITEMS.ofSite);
    await log.takeAll();
    const countOf = (name: string) => log.taken.reduce((sum, [site, n]) => sum + (site === name ? n : 0), 0);
    expect([countOf('a'), countOf('b'), countOf('f')]).toEqual([
      1 + flood,
      MOST_ITEMS.ofSite,
      MOST_ITEMS.ofSite,
    ]);
    expect(log.items.reduce((sum, n) => sum + n, 0)).toBe(1 + MOST_ITEMS.ofAll);
    expect(Math.max(...log.items)).toBe(500);
  });
});

describe('requests refused whole', () => {
  const { ofSite } = MOST_ITEMS;

  /** @returns how many requests of an address were counted, and how many of them told one by one */
  async function toldOf(address: string, given: Partial<Exchange>): Promise<readonly number[]> {
    const { log, refused } = open();
    const request = { url: address } as Exchange['request'];
    const exchange = { request, requestId: 'r', refusedWith: 'UNAUTHORIZED', ...given } as Exchange;
    for (let n = 0; n < ofSite; n += 1) refused.addRequest(exchange, 401);
    await log.takeAll();
    return [log.requests, log.items.reduce((sum, n) => sum + n, 0)];
  }

  it('requests of a stranger are all counted, and take a fifth of what a site’s trail keeps', async () => {
    expect(await toldOf('192.0.2.1', { refusedSiteId: 'a' })).toEqual([ofSite, ofSite / 5]);
    const visitor = { kind: 'site', siteId: 'a', trust: 'browser' } as Exchange['caller'];
    expect(await toldOf('192.0.2.1', { caller: visitor })).toEqual([ofSite, ofSite / 5]);
  });

  it('requests of a shop’s own backend are all told one by one', async () => {
    const backend = { kind: 'site', siteId: 'a', trust: 'server' } as Exchange['caller'];
    expect(await toldOf('192.0.2.1', { caller: backend })).toEqual([ofSite, ofSite]);
  });
});
