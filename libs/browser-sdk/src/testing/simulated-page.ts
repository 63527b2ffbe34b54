import { createClient, type StartParts } from '../client.js';
import type { Platform } from '../platform.js';
import type { Backing } from '../store.js';
import type { Truetally } from '../types.js';

/** What the simulated service does with the next request. */
export type Behaviour =
  | 'accept'
  | 'lose-answer'
  | 'half-answer'
  | 'offline'
  | 'unavailable'
  | 'over-limit'
  | 'expire-token'
  | 'refuse';

interface SentEvent {
  readonly client_event_id: string;
  readonly occurred_at: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface SentBatch {
  readonly events: readonly SentEvent[];
  readonly runtime_token?: string;
}

const TOKEN_MS = 900_000;
/** What a page that is gone asks. */
const NEVER = new Promise<Response>(() => undefined);

type StorageChange = Parameters<Parameters<Platform['hear']>[0]>[0];

/** The parts of the service's contract that a page sees: tokens, batches, deduplication, refusals. */
export class SimulatedService {
  behaviour: Behaviour = 'accept';
  /** Events that an hour of the site has. */
  limit = Infinity;
  /** By the page's clock. */
  nowMs = Date.UTC(2026, 0, 1);
  /** How far the service's clock is ahead of it. */
  aheadMs = 0;
  readonly requests: { readonly path: string; readonly body: SentBatch; readonly atMs: number }[] = [];
  /** Each stored event once, with how often it has come. */
  readonly stored = new Map<string, { event: SentEvent; copies: number; acknowledged: number }>();
  private token = 0;
  private lock: Promise<void> = Promise.resolve();

  /** As Web Locks do: one at a time over all pages. */
  withLock(run: () => Promise<void>): Promise<void> {
    this.lock = this.lock.then(run, run);
    return this.lock;
  }

  answer(url: string, request: RequestInit): Response {
    const path = url.replace('https://api.example/api/v1', '');
    const body = JSON.parse(String(request.body)) as SentBatch;
    this.requests.push({ path, body, atMs: this.nowMs });
    if (this.behaviour === 'offline') throw new TypeError('Failed to fetch');
    if (this.behaviour === 'refuse') return this.refusal(403, 'FORBIDDEN');
    if (this.behaviour === 'unavailable') return this.refusal(503, 'INTERNAL_ERROR');
    if (path === '/runtime/tokens') return this.newToken();
    if (this.behaviour === 'expire-token') {
      this.behaviour = 'accept';
      this.token += 1;
    }
    const { authorization } = Object.fromEntries(new Headers(request.headers));
    if (authorization !== `Bearer token-${this.token}`) return this.refusal(401, 'UNAUTHORIZED');
    if (this.behaviour === 'over-limit') {
      const reset = String(Math.ceil(this.nowMs / 1000) + 60);
      return this.refusal(429, 'RATE_LIMIT_EXCEEDED', { 'x-ratelimit-reset': reset });
    }
    if (path === '/partner-attribution/touches') return this.success(201, {});
    if (body.events.length > this.limit)
      return this.refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' });
    const results = this.store(body.events);
    if (this.behaviour === 'lose-answer') throw new TypeError('Failed to fetch');
    // Its head arrives, and its body never ends.
    if (this.behaviour === 'half-answer') return new Response(new ReadableStream(), { status: 207 });
    return this.success(207, { results });
  }

  /** @returns whether the browser takes it */
  beacon(text: string): boolean {
    if (this.behaviour === 'offline') return false;
    const body = JSON.parse(text) as SentBatch;
    if (body.runtime_token === `token-${this.token}` && this.behaviour === 'accept')
      this.store(body.events, 0);
    return true;
  }

  private newToken(): Response {
    this.token += 1;
    const expires_at = new Date(this.nowMs + this.aheadMs + TOKEN_MS).toISOString();
    return this.success(201, { token: `token-${this.token}`, expires_in: TOKEN_MS / 1000, expires_at });
  }

  private store(events: readonly SentEvent[], acknowledgements = 1): unknown[] {
    return events.map((event, index) => {
      if (event.properties?.['refuse'] === true) {
        const error = { code: 'VALIDATION_ERROR', message: 'No.', details: {}, retryable: false };
        return { index, status: 'failed', error };
      }
      const known = this.stored.get(event.client_event_id);
      const isAnswered = this.behaviour === 'accept' ? acknowledgements : 0;
      if (known === undefined) {
        this.stored.set(event.client_event_id, { event, copies: 1, acknowledged: isAnswered });
        return { index, status: 'stored', event_id: event.client_event_id, timestamp: event.occurred_at };
      }
      known.copies += 1;
      known.acknowledged += isAnswered;
      return { index, status: 'duplicate', event_id: event.client_event_id, timestamp: event.occurred_at };
    });
  }

  private success(status: number, data: unknown): Response {
    return Response.json({ success: true, data, meta: { request_id: 'request' } }, { status });
  }

  private refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
    const error = { code, message: code, details: {} };
    return Response.json({ success: false, error, meta: { request_id: 'request' } }, { status, headers });
  }
}

/** A page with a client, over a clock and a storage that outlive it. */
export class SimulatedPage {
  readonly client: Truetally;
  /** Whether the browser has opened it in advance. */
  isAhead = false;
  private readonly timers = new Map<number, { atMs: number; run: () => void }>();
  private heard: (change: StorageChange) => void = () => undefined;
  private going: () => void = () => undefined;
  private back: () => void = () => undefined;
  private online: () => void = () => undefined;
  private count = 0;
  private isKilled = false;
  private readonly killed = Promise.withResolvers<undefined>();
  private static ids = 0;

  constructor(
    private readonly service: SimulatedService,
    readonly storage: Backing | undefined,
    loadParts: () => Promise<StartParts> = () => Promise.reject(new Error('No chunk.')),
    private readonly landing = 'https://shop.example/',
    private readonly isNameless = false,
  ) {
    this.client = createClient(this.platform(), loadParts);
  }

  /** Runs what is due within the time, in its order. */
  async pass(ms: number): Promise<void> {
    const endMs = this.service.nowMs + ms;
    for (;;) {
      await settled();
      const next = [...this.timers].sort(([, one], [, other]) => one.atMs - other.atMs)[0];
      if (next === undefined || next[1].atMs > endMs) break;
      this.timers.delete(next[0]);
      this.service.nowMs = Math.max(this.service.nowMs, next[1].atMs);
      next[1].run();
    }
    this.service.nowMs = endMs;
  }

  /** Sets the device's clock; what waits for a time that has to pass goes on to wait for it. */
  setClock(byMs: number): void {
    this.service.nowMs += byMs;
    for (const timer of this.timers.values()) timer.atMs += byMs;
  }

  /** Another tab, or another script of the shop, has stored something. */
  hear(key: string | null, newValue: string | null): void {
    this.heard({ key, newValue });
  }

  hide(): void {
    this.going();
  }

  show(): void {
    this.back();
  }

  connect(): void {
    this.online();
  }

  /** Nothing of it runs any more, and its lock is another's, as in a browser. */
  kill(): void {
    this.isKilled = true;
    this.killed.resolve(undefined);
    this.timers.clear();
    this.back = () => undefined;
  }

  private platform(): Platform {
    const { service, timers } = this;
    return {
      clock: () => service.nowMs,
      chance: () => 0.5,
      newId: () => `id-${(SimulatedPage.ids += 1)}`,
      toJson: JSON.stringify,
      fromJson: JSON.parse as Platform['fromJson'],
      ask: async (url, request) => (this.isKilled ? NEVER : service.answer(url, request)),
      beacon: (_, text) => service.beacon(text),
      setTimer: (run, ms) => {
        this.count += 1;
        timers.set(this.count, { atMs: service.nowMs + ms, run });
      },
      pass: (ms) =>
        new Promise((resolve) => {
          this.count += 1;
          timers.set(this.count, { atMs: service.nowMs + ms, run: () => resolve(undefined) });
        }),
      backing: this.storage,
      withLock: (_, run) => service.withLock(() => Promise.race([run(), this.killed.promise])),
      hear: (listen) => {
        this.heard = listen;
      },
      isAhead: () => this.isAhead,
      isNameless: this.isNameless,
      landing: this.landing,
      pageContext: () => ({ page_url: 'https://shop.example/', language: 'en', user_agent: 'Spec' }),
      watch: (going, back, online) => {
        this.going = going;
        this.back = back;
        this.online = online;
      },
    };
  }
}

/** Lets promises that wait for nothing else run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
