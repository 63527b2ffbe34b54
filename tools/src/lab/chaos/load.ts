import { setTimeout as pause } from 'node:timers/promises';
import { eventually, request } from '@truetally/processes';
import { Pauses } from '@truetally/testing-product';
import { type Lane, type LaneRequest, type Told } from './lanes.js';

/** The answers about one item, over all attempts. */
export interface Answers {
  /** Of the request. */
  readonly n: number;
  readonly identities: Set<string>;
  readonly requestIds: Set<string>;
  timesNew: number;
}

/** How an attempt failed: a status, or the connection's error. */
export type Failure = string;
export const REFUSED = 'refused';
export const CUT = 'cut';
export const TIMEOUT = 'timeout';
export const BUSY = '503';
/** The first request under the same Idempotency-Key has no answer yet (interface page, section 1). */
export const UNDER_WAY = '409 under way';

const ATTEMPT_TIMEOUT_MS = 20_000;
const RETRY_PAUSE_MS = 100;
/** Where nothing is measured: as an answer with Retry-After asks for. */
const CALM_RETRY_PAUSE_MS = 1_000;
const MAX_ATTEMPTS = 3_000;
const MAX_KEPT_TEXTS = 5;

/**
 * Clients that send continuously, and retry as the interface page requires: the same request, after 503 and
 * after a failed connection, until it is answered. Every third is repeated although it was answered.
 */
export class Load {
  readonly told: ReadonlyMap<Lane, Map<string, Answers>>;
  readonly failures = new Map<Failure, number>();
  /** Answers that no well-behaved client may get. */
  readonly unexpected: string[] = [];
  private readonly clients: Promise<void>[];
  private readonly pauses: ReadonlyMap<Lane, Pauses>;
  private readonly next = new Map<Lane, number>();
  private readonly recoveredMs = new Map<Lane, number>();
  /** Clients without an answer since the mark. */
  private waiting: ReadonlyMap<Lane, Set<number>> = new Map();
  private markMs = Number.POSITIVE_INFINITY;
  private slowestMs = 0;
  private answered = 0;
  private isStopping = false;
  private isAbandoned = false;

  /**
   * @param baseUrls of the gateways in the balancer's rotation at the moment
   * @param pauseMs of each client between its requests, while nobody waits for one
   */
  constructor(
    private readonly lanes: readonly Lane[],
    private readonly baseUrls: () => readonly string[],
    private readonly pauseMs = 0,
  ) {
    this.told = new Map(lanes.map((lane) => [lane, new Map()]));
    this.pauses = new Map(lanes.map((lane) => [lane, new Pauses(pauseMs)]));
    this.clients = lanes.flatMap((lane) => clientsOf(lane).map((client) => this.run(lane, client)));
  }

  /** Successes before the fault do not count as recovery. */
  begin(): void {
    this.slowestMs = 0;
  }

  /** From now on the time without a success is measured for each kind of request. */
  mark(): void {
    this.recoveredMs.clear();
    this.markMs = performance.now();
    this.waiting = new Map(this.lanes.map((lane) => [lane, new Set(clientsOf(lane))]));
    this.hurry();
  }

  /** The longest time without a success of any kind of request, over all marks. */
  get slowestRecoveryMs(): number {
    return this.slowestMs;
  }

  /** Resolves when each client has been answered what it asked after the mark, also those that a fault has hit. */
  async recovered(): Promise<void> {
    const haveRecovered = (): boolean => {
      const waiting = this.lanes.filter((lane) => this.waiting.get(lane)?.size !== 0);
      this.hurry(waiting);
      return waiting.length === 0;
    };
    await eventually(haveRecovered, {
      message: () => `an answer to each client; so far to all of ${this.namesOfRecovered()}`,
    });
    this.slowestMs = Math.max(this.slowestMs, ...this.recoveredMs.values());
  }

  /** Waits for so many more answers. */
  async more(count: number): Promise<void> {
    const before = this.answered;
    const areThere = (): boolean => {
      this.hurry();
      return this.answered >= before + count;
    };
    await eventually(areThere, {
      message: () => `${count} more answers; unexpected so far: ${this.unexpected.join('; ')}`,
    });
  }

  /** Waits until clients notice the fault: attempts fail. */
  async felt(): Promise<void> {
    const before = this.failed;
    this.hurry();
    await eventually(() => this.failed > before, { message: 'a failure' });
  }

  /** The answers about these items no longer hold: their clients know that they were undone. */
  forget(lane: Lane, ids: Iterable<string>): void {
    for (const id of ids) this.told.get(lane)?.delete(id);
  }

  /** These items are no longer stored, so that one of their requests is told to be new once more: not always the first one. */
  undo(lane: Lane, ids: Iterable<string>): void {
    for (const id of ids) {
      const answers = this.told.get(lane)?.get(id);
      if (answers !== undefined) answers.timesNew = 0;
    }
  }

  /** Clients send these requests once more, until they are answered. */
  async repeat(lane: Lane, numbers: Iterable<number>): Promise<void> {
    for (const n of numbers) await this.untilAnswered(lane, n);
  }

  /** After a failed scenario, in which nobody may answer any more: no client tries again. */
  abandon(): void {
    this.isAbandoned = true;
  }

  /** Lets every client finish what it has begun. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const pauses of this.pauses.values()) pauses.stop();
    await Promise.all(this.clients);
  }

  /** Ends the pauses of their clients. */
  private hurry(lanes: readonly Lane[] = this.lanes): void {
    for (const lane of lanes) this.pauses.get(lane)?.end();
  }

  private get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  private namesOfRecovered(): string {
    return this.lanes
      .filter((lane) => this.waiting.get(lane)?.size === 0)
      .map(({ name }) => name)
      .join(', ');
  }

  private async run(lane: Lane, client: number): Promise<void> {
    while (!this.isStopping) {
      const n = this.next.get(lane) ?? 0;
      this.next.set(lane, n + 1);
      await this.untilAnswered(lane, n, client);
      if (n % 3 === 0) await this.untilAnswered(lane, n, client);
      if (this.pauseMs > 0) await this.pauses.get(lane)?.pause();
    }
  }

  private async untilAnswered(lane: Lane, n: number, client?: number): Promise<void> {
    const question = lane.request(n);
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !this.isAbandoned; attempt++) {
      const urls = this.baseUrls();
      const url = urls[(n + attempt) % urls.length] ?? '';
      const beganMs = performance.now();
      const outcome = await this.attempt(url, question);
      if ('data' in outcome) {
        if (client !== undefined && beganMs >= this.markMs) this.waiting.get(lane)?.delete(client);
        this.note(lane, n, beganMs, outcome.requestId, lane.read(outcome.data, n));
        return;
      }
      this.failures.set(outcome.failure, (this.failures.get(outcome.failure) ?? 0) + 1);
      if (outcome.text !== undefined && this.unexpected.length < MAX_KEPT_TEXTS) {
        this.unexpected.push(`${lane.name}: ${outcome.failure} ${outcome.text}`);
      }
      if (outcome.text !== undefined) return;
      await pause(this.pauseMs > 0 ? CALM_RETRY_PAUSE_MS : RETRY_PAUSE_MS);
    }
    if (this.isAbandoned) return;
    this.unexpected.push(`${lane.name}: not answered in ${MAX_ATTEMPTS} attempts`);
  }

  private async attempt(url: string, { path, headers, json }: LaneRequest): Promise<Outcome> {
    try {
      const answer = await request(`${url}/${path}`, { json, headers, timeoutMs: ATTEMPT_TIMEOUT_MS });
      const { status, body, text } = answer;
      if (body.data !== undefined) return { data: body.data, requestId: body.meta.request_id };
      if (status === 503 && answer.headers.get('retry-after') !== null) return { failure: BUSY };
      if (status === 409 && text.includes('still under way')) return { failure: UNDER_WAY };
      return { failure: String(status), text };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  private note(lane: Lane, n: number, beganMs: number, requestId: string, all: readonly Told[]): void {
    this.answered += 1;
    if (beganMs >= this.markMs && !this.recoveredMs.has(lane)) {
      this.recoveredMs.set(lane, performance.now() - this.markMs);
    }
    const told = this.told.get(lane);
    for (const { id, identity, isNew } of all) {
      const answers = told?.get(id) ?? { n, identities: new Set(), requestIds: new Set(), timesNew: 0 };
      answers.requestIds.add(requestId);
      answers.identities.add(identity);
      if (isNew) answers.timesNew += 1;
      told?.set(id, answers);
    }
  }
}

function clientsOf({ clients }: Lane): readonly number[] {
  return Array.from({ length: clients }, (_, client) => client);
}

type Outcome =
  | { readonly data: unknown; readonly requestId: string }
  | { readonly failure: Failure; readonly text?: string };

/** `fetch` errors of a refused connection, of a broken one, and of a missing answer. */
function failureOf(error: unknown): Failure {
  if (!(typeof error === 'object' && error !== null)) return CUT;
  if ('name' in error && error.name === 'TimeoutError') return TIMEOUT;
  const cause = 'cause' in error ? error.cause : undefined;
  const isRefused =
    typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED';
  return isRefused ? REFUSED : CUT;
}
