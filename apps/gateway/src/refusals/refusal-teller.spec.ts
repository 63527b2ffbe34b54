import { describe, expect, it } from '@jest/globals';
import { decodeTrackEvent, failedItems, type ReasonCount } from '@truetally/contracts/events';
import { eventually } from '@truetally/testing';
import { Asker } from '../ask/ask.js';
import { RefusalTeller } from './refusal-teller.js';

/** A log that accepts each message when the test releases it. */
class SlowLog {
  readonly taken: [siteId: string, failed: number][] = [];
  readonly errors: unknown[] = [];
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
        if (decoded.ok) this.taken.push([decoded.value.siteId, failedItems(decoded.value.refusals)]);
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
  const asker = new Asker({
    ask: () => Promise.reject(new Error('Nobody waits.')),
    tell: (sent) => log.tell(sent),
  });
  return {
    log,
    refused: new RefusalTeller(asker, { error: (details: unknown) => log.errors.push(details) }),
  };
}

function broken(count: number): ReasonCount {
  return { code: 'VALIDATION_ERROR', field: 'session_id', count };
}

describe('refused events (interface page, section 4: conservation)', () => {
  it('leave at once, and those that come meanwhile together', async () => {
    const { log, refused } = open();
    refused.addItems('a', [broken(1)]);
    expect(log.underWay).toBe(1);
    for (let n = 0; n < 100; n += 1) refused.addItems('a', [broken(1)]);
    refused.addItems('b', [broken(3)]);
    expect([log.underWay, refused.unwritten]).toEqual([1, 104]);
    await log.takeAll();
    expect(log.taken).toEqual([
      ['a', 1],
      ['a', 100],
      ['b', 3],
    ]);
    expect(refused.unwritten).toBe(0);
    refused.addItems('a', [broken(2)]);
    expect(log.underWay).toBe(1);
  });

  it('refused events are kept while too many requests wait for Kafka', async () => {
    const { log, refused } = open();
    log.isFull = true;
    refused.addItems('a', [broken(5)]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(refused.unwritten).toBe(5);
    log.isFull = false;
    await eventually(() => log.underWay === 1);
    await log.takeAll();
    expect([log.taken, refused.unwritten]).toEqual([[['a', 5]], 0]);
  });

  it('refused events are published before the process ends, or logged', async () => {
    const { log, refused } = open();
    refused.addItems('a', [broken(1)]);
    refused.addItems('a', [broken(4)]);
    const closed = refused.close();
    await log.takeAll();
    await closed;
    expect(log.taken).toEqual([
      ['a', 1],
      ['a', 4],
    ]);
    log.isFull = true;
    refused.addItems('b', [broken(7)]);
    await refused.close();
    expect(log.errors).toEqual([{ sites: { b: 7 } }]);
  });
});
