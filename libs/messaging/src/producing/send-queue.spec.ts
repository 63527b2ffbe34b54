import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Outgoing, SendQueue, WaitingForTopics } from './send-queue.js';

describe('SendQueue', () => {
  it('gives everything once, in order, in chunks within both bounds', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 60 });
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 100 }),
        (each, count, bytes) => {
          const queue = new SendQueue<number>(count, bytes);
          const seen: number[] = [];
          each.forEach((size, index) => {
            queue.push(outgoing(index, size));
            if (index % 3 === 0) seen.push(...take(queue, count, bytes));
          });
          while (queue.count > 0) seen.push(...take(queue, count, bytes));
          expect(seen).toEqual(each.map((_, index) => index));
          expect(queue.bytes).toBe(0);
        },
      ),
    );
  });

  it('tells whether somebody waits for one of its messages, and whether they fill a chunk', () => {
    const messages = fc.array(
      fc.record({ bytes: fc.integer({ min: 1, max: 50 }), mayGather: fc.boolean() }),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(
        messages,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 100 }),
        (each, count, bytes) => {
          const queue = new SendQueue<number>(count, bytes);
          let waiting: Outgoing<number>[] = [];
          const expectTold = (): void => {
            expect(queue.isPressing).toBe(waiting.some(({ mayGather }) => mayGather !== true));
            const waitingBytes = waiting.reduce((sum, one) => sum + one.bytes, 0);
            expect(queue.hasChunk).toBe(waiting.length >= count || waitingBytes >= bytes);
          };
          each.forEach((message, index) => {
            const pushed = { ...outgoing(index, message.bytes), mayGather: message.mayGather };
            queue.push(pushed);
            waiting.push(pushed);
            if (index % 4 === 0) waiting = waiting.slice(queue.takeChunk().length);
            expectTold();
          });
          queue.takeAll();
          waiting = [];
          expectTold();
        },
      ),
    );
  });

  it('returns the remaining messages when it is closed', () => {
    const queue = new SendQueue<number>(2, 100);
    for (const index of [0, 1, 2, 3]) queue.push(outgoing(index, 1));
    queue.takeChunk();
    expect(queue.takeAll().map(({ ticket }) => ticket)).toEqual([2, 3]);
    expect(queue.count).toBe(0);
  });
});

describe('WaitingForTopics', () => {
  it('puts what waited for a topic before what came behind it, in its order', async () => {
    const queue = new SendQueue<number>(10, 100);
    const isReleased = Promise.withResolvers<undefined>();
    let missing: readonly string[] = ['topic'];
    const waiting = new WaitingForTopics<number>({
      signal: new AbortController().signal,
      missingAmong: () => Promise.resolve(missing),
      queue,
      released: () => {
        isReleased.resolve(undefined);
      },
    });
    expect(await waiting.withoutMissing([outgoing(0, 1), outgoing(1, 1)])).toEqual([]);
    expect(waiting.withoutFollowers([outgoing(2, 1)])).toEqual([]);
    queue.push(outgoing(3, 1));
    missing = [];
    await isReleased.promise;
    expect(queue.takeChunk().map(({ ticket }) => ticket)).toEqual([0, 1, 2, 3]);
  });
});

function take(queue: SendQueue<number>, maxCount: number, maxBytes: number): readonly number[] {
  const chunk = queue.takeChunk();
  expect(chunk.length).toBeLessThanOrEqual(maxCount);
  const bytes = chunk.reduce((sum, each) => sum + each.bytes, 0);
  expect(chunk.length === 1 || bytes <= maxBytes).toBe(true);
  return chunk.map(({ ticket }) => ticket);
}

function outgoing(ticket: number, bytes: number): Outgoing<number> {
  return { topic: 'topic', message: { value: null }, bytes, ticket };
}
