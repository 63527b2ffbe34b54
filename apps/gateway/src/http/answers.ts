import type { Metrics } from '@truetally/platform';
import type { ClientAddresses } from './shares.js';
import type { Answering, RequestHead } from './message.js';

export interface OutstandingLimits {
  /** Maximum size of one answer, the only one that a connection can have outstanding. */
  readonly perConnectionBytes: number;
  readonly perAddressBytes: number;
  readonly inAllBytes: number;
  /** A reader without progress for this time is considered disconnected. */
  readonly silenceMs: number;
  /** Slower readers would keep their answers in memory for hours. */
  readonly slowestBytesPerSecond: number;
}

const MEBIBYTE = 1024 * 1024;
const OUTSTANDING_LIMITS: OutstandingLimits = {
  perConnectionBytes: 16 * MEBIBYTE,
  perAddressBytes: 32 * MEBIBYTE,
  inAllBytes: 128 * MEBIBYTE,
  silenceMs: 20_000,
  slowestBytesPerSecond: 64 * 1024,
};
/** The size that the system's socket buffer takes at once from nearly every answer. */
const SMALL_BYTES = 64 * 1024;

/** Bounds the memory of answers that their readers have not taken yet: per answer, in total, and in time. */
export class OutstandingAnswers {
  private heldBytes = 0;
  private readonly shares = new Map<string, number>();

  constructor(
    private readonly addresses: ClientAddresses,
    private readonly limits: OutstandingLimits = OUTSTANDING_LIMITS,
  ) {}

  get bytes(): number {
    return this.heldBytes;
  }

  /** Whether an answer may be written: small ones while there is room in total. */
  admits(request: RequestHead, bytes: number): boolean {
    const { perConnectionBytes, perAddressBytes, inAllBytes } = this.limits;
    if (bytes <= SMALL_BYTES) return this.heldBytes <= inAllBytes;
    if (bytes > perConnectionBytes || this.heldBytes + bytes > inAllBytes) return false;
    const share = this.shares.size === 0 ? 0 : (this.shares.get(this.addresses.of(request)) ?? 0);
    return share + bytes <= perAddressBytes;
  }

  /** Call it when an answer is written. Costs nothing if the system has taken all of it. */
  watch(request: RequestHead, response: Answering): void {
    const bytes = response.socket?.writableLength ?? 0;
    if (bytes === 0) return;
    const { silenceMs, slowestBytesPerSecond } = this.limits;
    const address = this.addresses.of(request);
    this.hold(address, bytes);
    const deadlineMs = silenceMs + (bytes / slowestBytesPerSecond) * 1_000;
    const timer = setTimeout(() => response.destroy(), deadlineMs);
    response.setTimeout(silenceMs, () => response.destroy());
    response.once('close', () => {
      clearTimeout(timer);
      this.hold(address, -bytes);
    });
  }

  private hold(address: string, bytes: number): void {
    this.heldBytes += bytes;
    const share = (this.shares.get(address) ?? 0) + bytes;
    if (share > 0) this.shares.set(address, share);
    else this.shares.delete(address);
  }
}

const UNROUTED = 'none';
const MS_PER_SECOND = 1_000;

/** What is counted of an exchange. */
interface Counted {
  readonly beganMs: number;
  readonly route: { readonly path: string } | undefined;
  readonly caller: { readonly workspaceId: string } | undefined;
  readonly cost: number;
}

/** Counts answers and their latency from the request's head, by route and status, and what each workspace costs. */
export class RequestCounter {
  private readonly durations;
  private readonly busiest = new BusiestWorkspaces();

  constructor(metrics: Metrics) {
    metrics.observedAll(
      'workspace_cost_last_minute',
      'What the busiest workspaces have cost in the last minute, as their limits count it.',
      ['workspace'],
      () => Promise.resolve(this.busiest.read().map(([workspace, cost]) => [{ workspace }, cost] as const)),
    );
    this.durations = metrics.tallied(
      'http_request_duration_seconds',
      'From the head of a request to its answer, by route and status; its count is the number of answers.',
      (route, status) => ({ route, status: String(status) }),
    );
  }

  readonly count = (exchange: Counted, status: number): void => {
    const seconds = (performance.now() - exchange.beganMs) / MS_PER_SECOND;
    this.durations.observe(exchange.route?.path ?? UNROUTED, status, seconds);
    const workspaceId = exchange.caller?.workspaceId ?? '';
    if (workspaceId !== '') this.busiest.add(workspaceId, exchange.cost);
  };
}

/** Workspaces in the metric; a workspace is a label, of which Prometheus bears few. */
const SHOWN = 20;
/** Workspaces counted by their own name in a minute; the rest is counted together. */
const COUNTED = 10_000;
const MINUTE_MS = 60_000;
const OTHERS = 'others';

/** What each workspace has cost in the last whole minute, as its limit counts it: which one is noisy, with few labels. */
export class BusiestWorkspaces {
  private current = new Map<string, number>();
  private last: ReadonlyMap<string, number> = new Map();
  private minute = 0;

  /** @param nowMs of a clock that never goes back */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  add(workspaceId: string, cost: number): void {
    this.turn();
    const sum = this.current.get(workspaceId);
    const name = sum === undefined && this.current.size >= COUNTED ? OTHERS : workspaceId;
    this.current.set(name, (this.current.get(name) ?? 0) + cost);
  }

  /** The busiest first, and the rest together as `others`. */
  read(): readonly (readonly [workspace: string, cost: number])[] {
    this.turn();
    const named = [...this.last]
      .filter(([name]) => name !== OTHERS)
      .toSorted(([, one], [, other]) => other - one);
    const rest = named.slice(SHOWN).reduce((sum, [, cost]) => sum + cost, this.last.get(OTHERS) ?? 0);
    return [...named.slice(0, SHOWN), ...(rest > 0 ? [[OTHERS, rest] as const] : [])];
  }

  private turn(): void {
    const minute = Math.floor(this.nowMs() / MINUTE_MS);
    if (minute === this.minute) return;
    this.last = minute === this.minute + 1 ? this.current : new Map();
    this.current = new Map();
    this.minute = minute;
  }
}
