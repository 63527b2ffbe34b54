import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { originalDriver } from '../testing/original-driver.js';
import { type RequestQueue, idleWithoutRequests } from './request-queue.js';

interface DriverQueue extends RequestQueue {
  push(request: object): void;
  fulfillRequest(response: object): void;
  maybeThrottle(ms: number): void;
  destroy(): void;
}

type DriverQueueClass = new (options: object) => DriverQueue;

const RequestQueueOfDriver = originalDriver(
  (require) => require('kafkajs/src/network/requestQueue/index.js') as DriverQueueClass,
);
const MOST_IN_FLIGHT = 2;
const TIMEOUT_MS = 5_000;
const log = { debug: () => undefined, warn: () => undefined };
let queue: DriverQueue;
let sent: number[];

function open(Queue: DriverQueueClass): void {
  queue = new Queue({
    maxInFlightRequests: MOST_IN_FLIGHT,
    requestTimeout: TIMEOUT_MS,
    enforceRequestTimeout: true,
    isConnected: () => true,
    logger: log,
  });
  sent = [];
}

function push(correlationId: number, reject: (error: Error) => void = () => undefined): void {
  const entry = { correlationId, resolve: () => undefined, reject };
  queue.push({ entry, expectResponse: true, sendRequest: () => sent.push(correlationId) });
}

function answer(correlationId: number): void {
  queue.fulfillRequest({ correlationId, payload: null, size: 0 });
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  queue.destroy();
  jest.useRealTimers();
});

describe("the driver's queue of requests", () => {
  it("the driver's own queue of requests never rests once it was used", () => {
    open(RequestQueueOfDriver);
    push(1);
    answer(1);
    jest.advanceTimersByTime(60_000);
    expect(jest.getTimerCount()).toBe(1);
  });

  describe('made idleWithoutRequests', () => {
    beforeEach(() => open(idleWithoutRequests(class extends RequestQueueOfDriver {})));

    it('a request queue made idleWithoutRequests has no timer while nothing waits', () => {
      push(1);
      answer(1);
      expect(jest.getTimerCount()).toBe(0);
    });

    it('sends requests that waited for an answer when it arrives, in order, and then sets no timer', () => {
      for (const id of [1, 2, 3, 4]) push(id);
      expect(sent).toEqual([1, 2]);
      answer(1);
      expect(sent).toEqual([1, 2, 3]);
      for (const id of [2, 3, 4]) answer(id);
      expect(sent).toEqual([1, 2, 3, 4]);
      jest.advanceTimersByTime(100);
      expect(jest.getTimerCount()).toBe(0);
    });

    it('an answered request stays behind in a map that is used no more, those in flight do not', () => {
      for (const id of [1, 2]) push(id);
      const { inflight } = queue;
      answer(1);
      expect(queue.inflight).not.toBe(inflight);
      expect([...queue.inflight.keys()]).toEqual([2]);
    });

    it('a request without an answer ends after its time, also when the clock was set back meanwhile', () => {
      const failed: string[] = [];
      queue.scheduleRequestTimeoutCheck();
      push(1, ({ name }) => failed.push(name));
      jest.setSystemTime(Date.now() - 600_000);
      jest.advanceTimersByTime(TIMEOUT_MS);
      expect(failed).toEqual([]);
      jest.advanceTimersByTime(TIMEOUT_MS);
      expect(failed).toEqual(['KafkaJSRequestTimeoutError']);
    });

    it('sends requests after a pause that the broker requested, and then sets no timer', () => {
      queue.maybeThrottle(500);
      push(1);
      jest.advanceTimersByTime(499);
      expect(sent).toEqual([]);
      jest.advanceTimersByTime(20);
      expect(sent).toEqual([1]);
      answer(1);
      expect(jest.getTimerCount()).toBe(0);
    });
  });
});
