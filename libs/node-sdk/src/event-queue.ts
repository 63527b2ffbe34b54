import { backoffMs, judgeAnswer } from './judge-answer.js';
import type { Outbox } from './outbox.js';
import { fault, serialise } from './serialise-event.js';
import { type Answer, faultOf, faultOfItem, membersOf, textOf, type Transport } from './transport.js';
import type { Event, EventOutcome, EventResult, Fault, FlushReport, TruetallyOptions } from './types.js';

export type QueueLimits = Required<
  Pick<
    TruetallyOptions,
    'maxAttempts' | 'batchEvents' | 'batchBytes' | 'maxRequests' | 'maxQueuedEvents' | 'maxQueuedBytes'
  >
>;

interface Item {
  readonly id: string;
  readonly text: string;
  readonly bytes: number;
  attempts: number;
  readonly settle: (result: EventResult) => void;
}

/** A reset is the same instant for every process of a shop. */
const RESET_JITTER_MS = 1000;
const NO_COUNTS = { stored: 0, duplicates: 0, failed: 0 };

/**
 * Events between `track` and the service's answer. Nothing waits for a timer: while no request is under way an event
 * goes at once, and what comes meanwhile gathers. A request that fails as a whole holds all of them back, and one
 * request finds out whether the service is there again.
 */
export class EventQueue {
  private waiting: Item[] = [];
  private queuedEvents = 0;
  private queuedBytes = 0;
  private underWay = 0;
  private failuresInRow = 0;
  /** By a clock that nobody sets. */
  private resumeAtMs = 0;
  private resumeTimer: NodeJS.Timeout | undefined;
  private mostInBatch: number;
  private isScheduled = false;
  private isClosed = false;
  private counts = { ...NO_COUNTS };
  private reported = { ...NO_COUNTS };
  private watchers: (() => void)[] = [];

  constructor(
    private readonly transport: Transport,
    private readonly outbox: Outbox | undefined,
    private readonly limits: QueueLimits,
  ) {
    this.mostInBatch = limits.batchEvents;
    for (const { id, text } of outbox?.unsettled() ?? []) this.enqueue(id, text, () => undefined);
  }

  async add(event: Event): Promise<EventResult> {
    const { id, text } = serialise(event);
    if (typeof text !== 'string') return this.refuse(id, text);
    const refusal = this.refusalOf(text);
    if (refusal !== undefined) return this.refuse(id, refusal);
    try {
      this.outbox?.add(id, text);
    } catch (error) {
      return this.refuse(id, fault('OUTBOX_FAILED', `The outbox cannot be written: ${String(error)}`));
    }
    return new Promise((settle) => this.enqueue(id, text, settle));
  }

  /** Resolves when nothing waits, or after the time. */
  async flush(timeoutMs: number): Promise<FlushReport> {
    const deadline = performance.now() + timeoutMs;
    while (this.queuedEvents > 0 && performance.now() < deadline)
      await this.nextChange(deadline - performance.now());
    const { stored, duplicates, failed } = this.counts;
    const before = this.reported;
    this.reported = { ...this.counts };
    return {
      stored: stored - before.stored,
      duplicates: duplicates - before.duplicates,
      failed: failed - before.failed,
      pending: this.queuedEvents,
    };
  }

  /** Resolves when at most half of what may wait does. */
  async ready(): Promise<void> {
    const { maxQueuedEvents, maxQueuedBytes } = this.limits;
    while (this.queuedEvents > maxQueuedEvents / 2 || this.queuedBytes > maxQueuedBytes / 2)
      await this.nextChange();
  }

  /** What waits is given up; an outbox keeps it for the next start. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.resumeTimer);
    for (const item of this.waiting.splice(0)) {
      this.giveUp(item, fault('CLOSED', 'The client was closed before the event was sent.'), undefined);
    }
  }

  state() {
    const pauseMs = this.resumeAtMs - performance.now();
    return {
      queued_events: this.queuedEvents,
      queued_bytes: this.queuedBytes,
      requests_under_way: this.underWay,
      ...this.counts,
      paused_until: pauseMs > 0 ? new Date(Date.now() + pauseMs).toISOString() : undefined,
    };
  }

  private refusalOf(text: string): Fault | undefined {
    const bytes = Buffer.byteLength(text);
    if (this.isClosed) return fault('CLOSED', 'The client is closed.');
    const { maxQueuedEvents, maxQueuedBytes } = this.limits;
    const isFull = this.queuedEvents >= maxQueuedEvents || this.queuedBytes + bytes > maxQueuedBytes;
    return isFull
      ? fault('QUEUE_FULL', 'Too many events wait; await ready() before the next one.')
      : undefined;
  }

  private refuse(id: string, error: Fault): EventResult {
    this.counts.failed += 1;
    return { client_event_id: id, status: 'failed', error };
  }

  private enqueue(id: string, text: string, settle: Item['settle']): void {
    const bytes = Buffer.byteLength(text);
    this.waiting.push({ id, text, bytes, attempts: 0, settle });
    this.queuedEvents += 1;
    this.queuedBytes += bytes;
    this.schedule();
  }

  /** After the caller's own loop: events of one turn share a request. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.pump();
    });
  }

  private pump(): void {
    if (this.isClosed || this.waiting.length === 0) return;
    const waitMs = this.resumeAtMs - performance.now();
    if (waitMs > 0) {
      clearTimeout(this.resumeTimer);
      this.resumeTimer = setTimeout(() => this.pump(), waitMs);
      return;
    }
    const isTrying = this.failuresInRow > 0;
    const most = isTrying ? 1 : this.limits.maxRequests;
    while (this.waiting.length > 0 && this.underWay < most) {
      // A second request goes only when it is full: what comes gathers meanwhile.
      if (this.underWay > 0 && this.waiting.length < this.mostInBatch) return;
      void this.send(this.take());
    }
  }

  private take(): Item[] {
    let bytes = 0;
    let count = 0;
    for (const item of this.waiting) {
      bytes += item.bytes + 1;
      if (count > 0 && (count >= this.mostInBatch || bytes > this.limits.batchBytes)) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async send(items: readonly Item[]): Promise<void> {
    this.underWay += 1;
    for (const item of items) item.attempts += 1;
    const body = `{"events":[${items.map(({ text }) => text).join(',')}]}`;
    const answer = await this.transport.send({ method: 'POST', path: '/events/batch', body });
    this.underWay -= 1;
    this.apply(items, answer);
    this.changed();
    this.pump();
  }

  private apply(items: readonly Item[], answer: Answer): void {
    const verdict = judgeAnswer(answer, Date.now());
    if (verdict.kind === 'accepted') return this.settleEach(items, answer);
    const error = faultOf(answer);
    if (verdict.kind === 'again') return this.retry(items, error, answer.requestId, verdict.afterMs);
    if (verdict.kind === 'limited') {
      const { afterMs, remaining } = verdict;
      if (remaining >= 1 && remaining < items.length) return this.takeFewer(items, remaining);
      this.mostInBatch = this.limits.batchEvents;
      return this.retry(items, error, answer.requestId, afterMs + Math.random() * RESET_JITTER_MS);
    }
    if (verdict.kind === 'split' && items.length > 1) {
      const half = Math.ceil(items.length / 2);
      void this.send(items.slice(0, half));
      void this.send(items.slice(half));
      return;
    }
    for (const item of items) {
      // A refused key says nothing about the event: an outbox keeps it for a process with another one.
      if (verdict.kind === 'refused') this.giveUp(item, error, answer.requestId);
      else this.finish(item, { status: 'failed', error }, answer.requestId);
    }
  }

  private settleEach(items: readonly Item[], answer: Answer): void {
    const { results } = membersOf(answer.body?.['data']);
    const entries = Array.isArray(results) ? results.map(membersOf) : [];
    const again: Item[] = [];
    let reason = fault('INVALID_ANSWER', 'The answer does not name the event.');
    for (const [index, item] of items.entries()) {
      const { status, event_id, timestamp, error } = entries[index] ?? {};
      if (status === 'stored' || status === 'duplicate') {
        this.finish(
          item,
          { status, event_id: textOf(event_id), timestamp: textOf(timestamp) },
          answer.requestId,
        );
        continue;
      }
      const members = membersOf(error);
      if (status === 'failed') reason = faultOfItem(members, answer.status);
      if (status === 'failed' && members['retryable'] !== true) {
        this.finish(item, { status, error: reason }, answer.requestId);
      } else again.push(item);
    }
    if (again.length > 0) return this.retry(again, reason, answer.requestId, 0);
    this.failuresInRow = 0;
    this.mostInBatch = this.limits.batchEvents;
  }

  private retry(items: readonly Item[], error: Fault, requestId: string | undefined, afterMs: number): void {
    this.failuresInRow += 1;
    this.resumeAtMs = performance.now() + Math.max(afterMs, backoffMs(this.failuresInRow, Math.random));
    const isSpent = ({ attempts }: Item): boolean => attempts >= this.limits.maxAttempts;
    this.putBack(items.filter((item) => !isSpent(item)));
    for (const item of items.filter(isSpent)) this.giveUp(item, error, requestId);
  }

  /** A batch is admitted whole or not at all: a smaller one fits what is left of the hour, and costs no attempt. */
  private takeFewer(items: readonly Item[], remaining: number): void {
    this.mostInBatch = Math.floor(remaining);
    for (const item of items) item.attempts -= 1;
    this.putBack(items);
  }

  private putBack(items: readonly Item[]): void {
    if (!this.isClosed) this.waiting.unshift(...items);
    else for (const item of items) this.giveUp(item, fault('CLOSED', 'The client was closed.'), undefined);
  }

  private finish(item: Item, result: EventOutcome, requestId: string | undefined): void {
    this.outbox?.settle(item.id);
    this.forget(item, result, requestId);
  }

  private giveUp(item: Item, error: Fault, requestId: string | undefined): void {
    this.forget(item, { status: 'failed', error }, requestId);
  }

  private forget(item: Item, result: EventOutcome, requestId: string | undefined): void {
    this.queuedEvents -= 1;
    this.queuedBytes -= item.bytes;
    this.counts[COUNTED[result.status]] += 1;
    item.settle({
      client_event_id: item.id,
      ...result,
      ...(requestId !== undefined && { request_id: requestId }),
    });
    this.changed();
  }

  private changed(): void {
    for (const wake of this.watchers.splice(0)) wake();
  }

  private nextChange(timeoutMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
      this.watchers.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

const COUNTED = { stored: 'stored', duplicate: 'duplicates', failed: 'failed' } as const;
