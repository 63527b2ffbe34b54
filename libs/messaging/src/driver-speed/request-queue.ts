import { inStep } from './pulse.js';

/** The relevant part of the driver's request queue to one broker. */
export interface RequestQueue {
  /** Requests that wait because too many are in flight, or because the broker throttles. */
  readonly pending: readonly unknown[];
  inflight: ReadonlyMap<number, InFlight>;
  readonly enforceRequestTimeout: boolean;
  readonly isConnected: () => boolean;
  /** A request had no answer in its time. */
  onSilence?: () => void;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  fulfillRequest(response: object): void;
  destroy(): void;
}

interface InFlight {
  /** In epoch milliseconds. */
  sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** Timeouts are of some seconds, and a process has dozens of connections, which are looked at together, and with its heartbeats. */
const TIMEOUT_CHECK_MS = 3_000;

export type RequestQueueClass = abstract new (...options: never[]) => RequestQueue;

/**
 * The driver polls for waiting requests every millisecond, on every connection and for ever, even where none
 * wait. This patch lets its queue poll only while there are some: each request that joins the queue starts
 * polling, and each response checks the queue itself. Nor does each connection look for timeouts ten times a second.
 *
 * And each answer leaves a new map of the requests in flight. A map that grows and shrinks takes a new table each time; V8
 * leaves the former one with what it held and a link to the next. Once a table has survived a whole collection, small ones
 * take all later tables for alive, with the messages and the answers of what was in flight (docs/benchmarks/profiles.md).
 */
export function idleWithoutRequests<C extends RequestQueueClass>(queue: C): C {
  const prototype = queue.prototype as RequestQueue;
  const { scheduleCheckPendingRequests: schedule, fulfillRequest, destroy } = prototype;
  const checks = new WeakMap<RequestQueue, () => void>();
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
  prototype.scheduleRequestTimeoutCheck = function (this: RequestQueue): void {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    const check = (): void => {
      const nowMs = Date.now();
      let isSilent = false;
      for (const request of this.inflight.values()) {
        // A clock that was set back: the request has its time from now on, and not until the clock has caught up.
        request.sentAt = Math.min(request.sentAt, nowMs);
        if (nowMs - request.sentAt <= request.requestTimeout) continue;
        request.timeoutRequest();
        isSilent = true;
      }
      if (isSilent) this.onSilence?.();
      if (!this.isConnected()) this.destroy();
    };
    // Timers come before sockets: answers that came while the process was stopped are read first.
    checks.set(
      this,
      inStep(TIMEOUT_CHECK_MS, () => setImmediate(check)),
    );
  };
  prototype.fulfillRequest = function (this: RequestQueue, response): void {
    fulfillRequest.call(this, response);
    this.inflight = new Map(this.inflight);
  };
  prototype.destroy = function (this: RequestQueue): void {
    checks.get(this)?.();
    checks.delete(this);
    destroy.call(this);
  };
  return queue;
}
