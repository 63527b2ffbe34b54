import { checkConversion, envelopeOf } from './check-conversion.js';
import { closeOnSignals } from './close-on-signals.js';
import { EventQueue, type QueueLimits } from './event-queue.js';
import type { ReadOrderData, ReadOrderResponses } from './generated/types.gen.js';
import { backoffMs, judgeAnswer } from './judge-answer.js';
import { Outbox } from './outbox.js';
import { type Answer, faultOf, membersOf, type OutgoingRequest, Transport } from './transport.js';
import { TruetallyError } from './truetally-error.js';
import type {
  Conversion,
  ConversionRecord,
  Diagnostics,
  Event,
  EventResult,
  FlushReport,
  RequestOptions,
  TruetallyOptions,
} from './types.js';

/** The version of the published package. */
export const VERSION = '0.1.0';

const DEFAULT_LIMITS: QueueLimits = {
  maxAttempts: 100,
  batchEvents: 100,
  batchBytes: 512 * 1024,
  maxRequests: 4,
  maxQueuedEvents: 100_000,
  maxQueuedBytes: 64 * 1024 * 1024,
};
const TIMEOUT_MS = 30_000;
/** Of Node's timers. */
const MOST_MS = 2 ** 31 - 1;
const FLUSH_TIMEOUT_MS = 30_000;
/** Less than what an orchestrator gives a process before it kills it. */
const SIGNAL_FLUSH_MS = 10_000;
/** Without a user and password, which diagnostics would show. */
const BASE_URL = /^https?:\/\/[^?#@\s]+\/api\/v1$/;
const API_KEY = /^ck_[\w-]{8}_[\w-]+$/;

/** The types of one operation, as generated from the API document. */
interface OperationData {
  readonly url: string;
  readonly path?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}
type DataOf<Responses> = Responses[keyof Responses] extends { data: infer Data } ? Data : never;
type ItemOf<Responses> = DataOf<Responses> extends { items: readonly (infer Item)[] } ? Item : never;
type RequestOf<Data extends OperationData> = Omit<Data, 'headers' | 'body'> & {
  readonly body?: Data['body'];
};

/**
 * A client for a shop's backend. Events are queued and sent in batches; conversions and reads are requests of their own.
 * What fails for a moment (no answer, 429, 5xx) is tried again with the same identity, so that nothing is stored twice.
 */
export class Truetally {
  private readonly transport: Transport;
  private readonly outbox: Outbox | undefined;
  private readonly queue: EventQueue;
  private readonly maxAttempts: number;
  private readonly stopListening: () => void;
  private closing: Promise<FlushReport> | undefined;

  /** @throws TypeError when an option is not what its description says */
  constructor(options: TruetallyOptions) {
    const { baseUrl: given, apiKey } = membersOf(options);
    const baseUrl = String(given).replace(/\/+$/, '');
    if (!BASE_URL.test(baseUrl))
      throw new TypeError('baseUrl must be an http(s) URL that ends with /api/v1.');
    if (typeof apiKey !== 'string' || !API_KEY.test(apiKey))
      throw new TypeError('apiKey must look like ck_<prefix>_<secret>.');
    const limits = limitsOf(options);
    this.maxAttempts = limits.maxAttempts;
    const timeoutMs = Math.min(positive('timeoutMs', options.timeoutMs, TIMEOUT_MS), MOST_MS);
    this.transport = new Transport(baseUrl, apiKey, timeoutMs);
    this.outbox = options.outbox === undefined ? undefined : new Outbox(options.outbox);
    this.queue = new EventQueue(this.transport, this.outbox, limits);
    this.stopListening =
      options.closeOnSignals === false ? () => undefined : closeOnSignals(() => this.close(SIGNAL_FLUSH_MS));
  }

  /**
   * Queues an event. The promise is settled when the service has answered for it, and is never rejected: a result with
   * `status: 'failed'` says why.
   */
  track(event: Event): Promise<EventResult> {
    return this.queue.add(event);
  }

  /** Resolves when there is room for more events; for a producer that is faster than the service. */
  ready(): Promise<void> {
    return this.queue.ready();
  }

  /**
   * Records a purchase, an adjustment or a cancellation; checks it first. Repeating a call is safe: its
   * `idempotency_key` is its identity.
   * @throws TruetallyError
   */
  async convert(conversion: Conversion, options?: RequestOptions): Promise<ConversionRecord> {
    const faults = checkConversion(conversion);
    if (faults.length > 0) {
      const details = Object.fromEntries(faults.map(({ path }) => [path, messagesAt(path, faults)]));
      const message = `The conversion breaks ${faults.length} rule(s); nothing was sent.`;
      throw new TruetallyError({ code: 'CONVERSION_FAULTS', message, details }, 0, undefined, false);
    }
    const body = JSON.stringify(envelopeOf(conversion));
    const request = { method: 'POST', path: '/partner-attribution/conversions', body };
    const answer = await this.request(request, options);
    return answer.body?.['data'] as ConversionRecord;
  }

  /** An order of the ledger with the first page of its entries. @throws TruetallyError */
  readOrder(
    orderId: string,
    websiteId: string,
    options?: RequestOptions,
  ): Promise<DataOf<ReadOrderResponses>> {
    const url = '/api/v1/partner-attribution/orders/{order_id}';
    const request = { url, path: { order_id: orderId }, query: { website_id: websiteId } } as const;
    return this.read<ReadOrderData, ReadOrderResponses>(request, options);
  }

  /**
   * Any `GET` of the API document that a key may ask, by the generated types:
   * `read<ListTouchesData, ListTouchesResponses>({ url: '/api/v1/…', query })`. Without them its answer is unknown.
   * @throws TruetallyError
   */
  async read<Data extends OperationData, Responses = { 200: { data: unknown } }>(
    request: RequestOf<Data>,
    options?: RequestOptions,
  ): Promise<DataOf<Responses>> {
    const answer = await this.request({ method: 'GET', path: pathOf(request) }, options);
    return answer.body?.['data'] as DataOf<Responses>;
  }

  /** Every item of a list, page by page. @throws TruetallyError */
  async *items<Data extends OperationData, Responses = { 200: { data: { items: unknown[] } } }>(
    request: RequestOf<Data>,
    options?: RequestOptions,
  ): AsyncGenerator<ItemOf<Responses>, void, undefined> {
    let cursor: string | null = null;
    do {
      const query = { ...membersOf(request.query), ...(cursor !== null && { cursor }) };
      const answer = await this.request({ method: 'GET', path: pathOf({ ...request, query }) }, options);
      const { items, next_cursor: next } = membersOf(answer.body?.['data']);
      yield* (Array.isArray(items) ? items : []) as ItemOf<Responses>[];
      cursor = typeof next === 'string' ? next : null;
    } while (cursor !== null);
  }

  /** Sends what waits, and says what became of the events since the last call. @param timeoutMs 30,000 */
  flush(timeoutMs = FLUSH_TIMEOUT_MS): Promise<FlushReport> {
    return this.queue.flush(Math.min(timeoutMs, MOST_MS));
  }

  /** `flush`, and nothing after it. What still waits then has failed with `CLOSED`, or stays in the outbox. */
  close(timeoutMs = FLUSH_TIMEOUT_MS): Promise<FlushReport> {
    this.closing ??= this.end(timeoutMs);
    return this.closing;
  }

  /** What a support engineer needs; never a credential or content (specification, section 7.5). */
  diagnostics(): Diagnostics {
    return {
      version: VERSION,
      base_url: this.transport.baseUrl,
      api_key_prefix: this.transport.keyPrefix,
      ...this.queue.state(),
      requests: [...this.transport.records],
    };
  }

  private async end(timeoutMs: number): Promise<FlushReport> {
    const report = await this.flush(timeoutMs);
    this.queue.close();
    this.outbox?.close();
    this.transport.abort();
    // Not before: npm hands an interrupt on that its child has got already, and the second one would end the process.
    this.stopListening();
    return report;
  }

  /** Every request of its own may be repeated: reads, and conversions with their key. */
  private async request(request: OutgoingRequest, { signal }: RequestOptions = {}): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      if (this.transport.isEnded) throw closedError();
      const answer = await this.transport.send(request, signal);
      const verdict = judgeAnswer(answer, Date.now());
      if (verdict.kind === 'accepted') return answer;
      signal?.throwIfAborted();
      const isRetryable = verdict.kind === 'again' || verdict.kind === 'limited';
      if (!isRetryable || attempt >= this.maxAttempts) {
        throw new TruetallyError(faultOf(answer), answer.status, answer.requestId, isRetryable);
      }
      await this.transport.pause(Math.max(verdict.afterMs, backoffMs(attempt, Math.random)), signal);
    }
  }
}

function closedError(): TruetallyError {
  const message = 'The client was closed. Repeating the call with another one is safe.';
  return new TruetallyError({ code: 'CLOSED', message, details: {} }, 0, undefined, true);
}

function limitsOf(options: TruetallyOptions): QueueLimits {
  const names = Object.keys(DEFAULT_LIMITS) as (keyof QueueLimits)[];
  const limits = Object.fromEntries(
    names.map((name) => [name, positive(name, options[name], DEFAULT_LIMITS[name])]),
  );
  const { batchEvents, batchBytes } = { ...DEFAULT_LIMITS, ...limits };
  return {
    ...DEFAULT_LIMITS,
    ...limits,
    batchEvents: Math.min(batchEvents, DEFAULT_LIMITS.batchEvents),
    batchBytes: Math.min(batchBytes, DEFAULT_LIMITS.batchBytes),
  };
}

function positive(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (!Number.isInteger(value) || value < 1) throw new TypeError(`${name} must be a whole number from 1.`);
  return value;
}

/** After the base URL. */
function pathOf({ url, path, query }: OperationData): string {
  const filled = url
    .replace(/^\/api\/v1/, '')
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(membersOf(path)[name])));
  const search = new URLSearchParams(
    Object.entries(membersOf(query))
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]): [string, string] => [name, String(value)]),
  );
  return search.size === 0 ? filled : `${filled}?${search}`;
}

function messagesAt(
  path: string,
  faults: readonly { readonly path: string; readonly message: string }[],
): string[] {
  return faults.filter((fault) => fault.path === path).map(({ message }) => message);
}
