import { randomBytes } from 'node:crypto';
import { ClientProxy, type ReadPacket, type WritePacket } from '@nestjs/microservices';
import { failure, readAddress, type Reply, utf8Bytes } from '@truetally/kernel';
import { atMost } from '../delay.js';
import { describeError, UndeliverableError } from '../errors.js';
import {
  ASK_DEADLINE_MS,
  DEADLINE_SWEEP_MS,
  DRAIN_TIMEOUT_MS,
  LAST_ANSWER_MS,
  MESSAGE_OVERHEAD_BYTES,
  PENDING_BYTES,
  PENDING_COUNT,
  SENDS_IN_FLIGHT,
  STALLED_SEND_MS,
} from '../limits.js';
import { type Messaging } from '../messaging.js';
import { type Pump } from '../producing/pump.js';
import { type AskKind, encodeHeaders, readReply } from '../wire.js';
import { ReplyJanitor } from './janitor.js';
import { PendingAsks } from './pending-asks.js';
import { ReplyTopic } from './reply-topic.js';

/** A request to a service, and the limits of its reply. */
export interface AskRequest {
  /** A topic without prefix, or an operation of one (`Address`). */
  readonly to: string;
  /**
   * Requests with one key go to one partition, where an ordinary handler receives them in sequence.
   * Concurrent asks may still be reordered when a send is repeated. Null: any partition, the same for all of a send.
   */
  readonly key: string | null;
  readonly value: string;
  /** Default: command, which is executed however late. */
  readonly kind?: AskKind;
  /** Timeout of the reply; default: the client's `deadlineMs`. */
  readonly deadlineMs?: number;
  /** Its weight against the server's bounds; default 1. */
  readonly weight?: number;
  /** Identifies the command to the server; default: a new id. */
  readonly correlationId?: string;
  readonly requestId?: string;
  /** Who answers for the request. */
  readonly holder?: string | undefined;
  readonly traceparent?: string | undefined;
}

/** Bounds of all asks of a process. */
export interface AskLimits {
  /** Maximum number of asks that wait for a reply; further ones are refused. */
  readonly pendingCount: number;
  /** Maximum total size of their values. */
  readonly pendingBytes: number;
  /** Timeout of a reply. */
  readonly deadlineMs: number;
  readonly sendsInFlight: number;
}

/** The asking side of request-reply. See docs/decisions/request-reply.md. */
export class KafkaAskClient extends ClientProxy {
  private readonly limits: AskLimits;
  private readonly pending = new PendingAsks();
  private readonly replies: ReplyTopic;
  private readonly janitor: ReplyJanitor;
  private readonly pump: Pump<Ticket>;
  private readonly idPrefix = `${randomBytes(ID_BYTES).toString('hex')}-`;
  private sequence = 0;
  private sweep: NodeJS.Timeout | undefined;
  private connected: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly messaging: Messaging,
    limits: Partial<AskLimits> = {},
  ) {
    super();
    this.limits = {
      pendingCount: PENDING_COUNT,
      pendingBytes: PENDING_BYTES,
      deadlineMs: ASK_DEADLINE_MS,
      sendsInFlight: SENDS_IN_FLIGHT,
      ...limits,
    };
    this.replies = new ReplyTopic(messaging, (correlationId, written) => {
      this.onReply(correlationId, written);
    });
    this.janitor = new ReplyJanitor(messaging);
    this.pump = messaging.createPump<Ticket>({
      output: 'asks',
      acks: -1,
      sendsInFlight: this.limits.sendsInFlight,
      missingTopic: 'give-up',
      acknowledged: (ticket) => {
        if (typeof ticket !== 'string') ticket.resolve();
      },
      failed: (ticket, error) => {
        this.onSendFailed(ticket, error);
      },
    });
  }

  /**
   * Whether an ask would be sent now: Kafka is reachable, and the number of pending asks is within the
   * bounds.
   */
  isAccepting(): boolean {
    return this.refusal(0) === undefined;
  }

  /** Resolves when replies are being read; retries while Kafka is unavailable. */
  connect(): Promise<void> {
    this.connected ??= this.open();
    return this.connected;
  }

  /**
   * Asks and waits for the reply. Never rejects for external failures: beyond the bounds, while Kafka is
   * unavailable, and at the timeout, the reply is an `UNAVAILABLE` error. A command that Kafka accepted is
   * executed anyway; asking again under the same correlation id returns its outcome.
   */
  ask(request: AskRequest): Promise<Reply<unknown>> {
    const { to, correlationId = this.nextId(), deadlineMs = this.limits.deadlineMs } = request;
    const asked = this.pending.find(correlationId);
    if (asked !== undefined) return asked;
    const bytes = bytesOf(request);
    const refusal = this.refusal(bytes);
    if (refusal !== undefined) {
      this.messaging.onMetric('messaging_asks_total', 1, { topic: to, outcome: 'unavailable' });
      return Promise.resolve(failure('UNAVAILABLE', refusal));
    }
    const askedMs = performance.now();
    const span = this.messaging.tracing?.below('client', `ask ${to}`, request.traceparent, ON_KAFKA);
    const ask = { to, bytes, askedMs, deadlineMs, span };
    const reply = this.pending.add(correlationId, ask);
    this.sweepSoon();
    const replyTopic = this.messaging.prefixed(this.replies.name);
    const traced = span === undefined ? request : { ...request, traceparent: span.traceparent };
    this.push(traced, correlationId, deadlineMs, replyTopic, bytes, correlationId);
    return reply;
  }

  /**
   * Sends a request without a reply. Resolves when Kafka has acknowledged it; retries until then or until
   * closed. Rejects when it is closed first, and at once when too many are pending.
   */
  tell(request: AskRequest): Promise<void> {
    const bytes = bytesOf(request);
    const { pendingCount, pendingBytes } = this.limits;
    if (this.pump.unsentCount >= pendingCount) return Promise.reject(new UndeliverableError(TOO_MANY));
    if (this.pump.unsentBytes + bytes > pendingBytes)
      return Promise.reject(new UndeliverableError(TOO_LARGE));
    const { correlationId = this.nextId(), deadlineMs = this.limits.deadlineMs } = request;
    return new Promise((resolve, reject) => {
      this.push(request, correlationId, deadlineMs, undefined, bytes, { resolve, reject });
    });
  }

  /** Answers pending asks with UNAVAILABLE, leaves its group, and removes the reply topic, in the time of a drain. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.sweep);
    // While Kafka is unavailable, pending asks fail now, so that callers can retry elsewhere.
    const timeoutMs = this.isReachable() ? DRAIN_TIMEOUT_MS : 0;
    const endMs = performance.now() + timeoutMs;
    await this.pump.close(timeoutMs);
    for (const correlationId of this.pending.all()) this.settle(correlationId, CLOSED, 'unavailable');
    const last = Promise.all([this.janitor.stop(), this.connected && this.removeReplies()]);
    await atMost(last, Math.max(LAST_ANSWER_MS, endMs - performance.now()));
  }

  unwrap<T = Messaging>(): T {
    return this.messaging as T;
  }

  /** `send(topic, data)`: a command whose value is the data as JSON; the observable emits its Reply. */
  protected override publish(packet: ReadPacket, callback: (packet: WritePacket) => void): () => void {
    const correlationId = this.nextId();
    void this.ask({ ...this.requestOf(packet, correlationId), correlationId }).then((response) => {
      callback({ response, isDisposed: true });
    });
    return () => undefined;
  }

  /** `emit(topic, data)`: sent without a reply. */
  protected override async dispatchEvent<T = unknown>(packet: ReadPacket): Promise<T> {
    await this.tell(this.requestOf(packet, this.nextId()));
    return undefined as T;
  }

  private async open(): Promise<void> {
    await this.pump.connect();
    await this.replies.open();
    this.janitor.start();
  }

  private async removeReplies(): Promise<void> {
    try {
      await this.replies.close();
    } catch (error) {
      // Kafka is unavailable; another process's janitor will remove it.
      this.messaging.options.log.warn({ error: describeError(error) }, 'reply topic not removed');
    }
  }

  private requestOf({ pattern, data }: ReadPacket, key: string): AskRequest {
    return { to: this.normalizePattern(pattern), key, value: JSON.stringify(data) };
  }

  /** Unsent messages count as pending too, even if their askers have timed out. */
  private refusal(bytes: number): string | undefined {
    const { pendingCount, pendingBytes } = this.limits;
    if (this.isClosed) return 'Closing';
    if (Math.max(this.pending.count, this.pump.unsentCount) >= pendingCount) return TOO_MANY;
    if (Math.max(this.pending.bytes, this.pump.unsentBytes) + bytes > pendingBytes) return TOO_LARGE;
    return this.isReachable() ? undefined : 'Kafka is not reachable';
  }

  private isReachable(): boolean {
    return this.pump.stalledMs() <= STALLED_SEND_MS && this.replies.isFollowing();
  }

  private push(
    request: AskRequest,
    correlationId: string,
    deadlineMs: number,
    replyTopic: string | undefined,
    bytes: number,
    ticket: Ticket,
  ): void {
    const { to, key, value, kind = 'command', weight = 1, requestId, holder, traceparent } = request;
    const { topic, operation } = readAddress(to);
    const headers = encodeHeaders({
      correlationId,
      replyTopic,
      deadlineMs: Date.now() + deadlineMs,
      timeoutMs: deadlineMs,
      kind,
      operation,
      weight,
      requestId,
      holder,
      traceparent,
    });
    this.pump.push({
      topic: this.messaging.prefixed(topic),
      message: { key, value, headers },
      bytes,
      ticket,
    });
  }

  private onReply(correlationId: string, written: string): void {
    if (!this.pending.has(correlationId))
      return this.messaging.onMetric('messaging_replies_late_total', 1, {});
    const reply = readReply(written);
    const settle = (): void => this.settle(correlationId, reply, 'ok' in reply ? 'ok' : 'error');
    // What its asker does with it takes as long as reading it: others have a turn between.
    if (written.length > LARGE_REPLY_CHARACTERS) setImmediate(settle);
    else settle();
  }

  private onSendFailed(ticket: Ticket, error: Error): void {
    this.messaging.options.log.warn({ error: describeError(error) }, 'request not delivered');
    if (typeof ticket === 'string') {
      this.settle(ticket, failure('UNAVAILABLE', 'The request could not be delivered'), 'unavailable');
    } else ticket.reject(error);
  }

  /** While asks wait: an idle process has no timer. */
  private sweepSoon(): void {
    this.sweep ??= setTimeout(() => {
      this.sweep = undefined;
      this.expire();
      if (this.pending.count > 0 && !this.isClosed) this.sweepSoon();
    }, DEADLINE_SWEEP_MS);
  }

  private expire(): void {
    for (const correlationId of this.pending.expired(performance.now())) {
      this.settle(correlationId, NO_REPLY, 'timeout');
    }
    this.messaging.onMetric('messaging_asks_pending', this.pending.count, {});
  }

  private settle(correlationId: string, reply: Reply<unknown>, outcome: string): void {
    const ask = this.pending.settle(correlationId, reply);
    if (ask === undefined) return;
    const { to: topic, askedMs, span } = ask;
    span?.end({ 'truetally.outcome': outcome }, outcome === 'ok' ? undefined : outcome);
    this.messaging.onMetric('messaging_asks_total', 1, { topic, outcome });
    this.messaging.onMetric('messaging_ask_duration_seconds', (performance.now() - askedMs) / MS_PER_SECOND, {
      topic,
    });
  }

  private nextId(): string {
    return this.idPrefix + (this.sequence++).toString(ID_RADIX);
  }
}

/** The correlation id of an ask, or the promise of a message without a reply. */
type Ticket = string | { readonly resolve: () => void; readonly reject: (error: Error) => void };

const ON_KAFKA = { 'messaging.system': 'kafka' };
const TOO_MANY = 'Too many requests are waiting';
const TOO_LARGE = 'Requests that are waiting take too much memory';
const NO_REPLY = failure('UNAVAILABLE', 'No reply came in time');
const CLOSED = failure('UNAVAILABLE', 'Closed before a reply came');
const MS_PER_SECOND = 1_000;
/** Reading it takes some milliseconds. */
const LARGE_REPLY_CHARACTERS = 262_144;
/** Random per process, so that no id is reused after a restart. */
const ID_BYTES = 8;
const ID_RADIX = 36;

/**
 * As held and as sent: a text with one character beyond Latin-1 occupies two bytes for each of its characters,
 * which can be twice its UTF-8.
 */
function bytesOf({ key, value }: AskRequest): number {
  const bytes = utf8Bytes(value);
  const held = bytes === value.length ? bytes : Math.max(bytes, value.length * TWO_BYTES);
  return MESSAGE_OVERHEAD_BYTES + (key?.length ?? 0) + held;
}

const TWO_BYTES = 2;
