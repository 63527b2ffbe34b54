import type { Allowance, HourlyLimit, UsedAllowance } from './hourly-limit.js';
import type { Consumption, ConsumptionVerdict, EndedLease, HourUsage } from '../storage/limit.store.js';
import { LEASE_MS, Leases } from './leases.js';

export interface LimitDecision {
  readonly kind: 'admitted' | 'refused';
  readonly allowance: Allowance;
  readonly retryAfterSeconds: number;
}

export type LimitVerdict =
  | LimitDecision
  /** The counters are unreachable, or too many requests wait for them. */
  | { readonly kind: 'unavailable' };

/** One request's use of a limit. */
export interface LimitClaim {
  /** Known without a query, before the request's cost is. */
  readonly refusal: LimitDecision | undefined;
  readonly consume: (cost: number) => LimitVerdict | Promise<LimitVerdict>;
}

/** The part of the store that the limiter uses. */
interface LimitCounters {
  usageOf(subjects: readonly string[]): Promise<HourUsage>;
  consume(consumptions: readonly Consumption[], isLate: boolean): Promise<readonly ConsumptionVerdict[]>;
}

export interface LimiterOptions {
  readonly counters: LimitCounters;
  /** Whether events are stored by the same Postgres, so that their commits take what they cost to the disk. */
  readonly areEventsBeside: boolean;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

interface Waiting {
  readonly limit: HourlyLimit;
  readonly cost: number;
  readonly isOfEvents: boolean;
  readonly resolve: (verdict: LimitVerdict) => void;
}

/**
 * The last answer about a subject: within its hour and limit, the remaining count can be lower, never higher.
 */
interface Known {
  readonly perHour: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly hourEndsAtMs: number;
  /** Others may give back what they have leased: then only for a moment. */
  readonly refusesUntilMs: number;
}

/** What one call asks about a subject; without requests it only gives a lease back. */
interface Group {
  readonly subject: string;
  readonly waiting: readonly Waiting[];
}

const MAX_WAITING = 20_000;
const MAX_PER_CALL = 2_048;
const MAX_KNOWN = 100_000;
/**
 * A larger call was made under load: the next one then waits a moment to collect more, because a call costs
 * the gateway and Postgres the same for one request as for twenty.
 */
const QUIET_PER_CALL = 4;
const BUSY_PAUSE_MS = 3;
const MAX_COST = 1_000;
const MS_PER_SECOND = 1_000;
const UNAVAILABLE: LimitVerdict = { kind: 'unavailable' };

/**
 * Counts requests against hourly limits, exactly over any number of gateways (docs/decisions/rate-limits.md).
 * Postgres decides: all waiting requests go there in one call, one call at a time. A request that the
 * subject's last answer already rules out is refused here, which is as exact, because an hour's count only
 * grows. A busy subject's requests are admitted from a lease, which was counted when it was taken.
 */
export class HourlyLimiter {
  private readonly waiting: Waiting[] = [];
  private readonly known = new Map<string, Known>();
  private readonly leases = new Leases();
  /** Leases that ended, for the next call. */
  private readonly ended = new Map<string, EndedLease>();
  private isCalling = false;
  private isClosing = false;
  private onIdle: () => void = () => undefined;

  constructor(private readonly options: LimiterOptions) {}

  /** @param isOfEvents whether the request is answered when its events are committed */
  claim(limit: HourlyLimit, isOfEvents = false): LimitClaim {
    return { refusal: this.knownRefusal(limit, 1), consume: (cost) => this.consume(limit, cost, isOfEvents) };
  }

  /** A refusal without a query, or undefined when only Postgres can decide. */
  knownRefusal(limit: HourlyLimit, cost: number): LimitDecision | undefined {
    const known = this.known.get(limit.subject);
    if (known === undefined || known.perHour !== limit.perHour) return undefined;
    const nowMs = this.options.monotonicMs();
    if (known.remaining >= cost || nowMs >= known.refusesUntilMs) return undefined;
    const remaining = known.remaining + this.leases.restOf(limit.subject);
    if (remaining >= cost) return undefined;
    return {
      kind: 'refused',
      allowance: { limit: known.perHour, remaining, resetSeconds: known.resetSeconds },
      retryAfterSeconds: retryAfter(known.hourEndsAtMs - nowMs),
    };
  }

  /** Consumes the whole cost or nothing, at once where no call is needed. Never rejects. */
  consume(limit: HourlyLimit, cost: number, isOfEvents = false): LimitVerdict | Promise<LimitVerdict> {
    if (!Number.isInteger(cost) || cost < 1 || cost > MAX_COST)
      throw new RangeError('A cost is from 1 to 1000.');
    const decision = this.admittedFromLease(limit, cost) ?? this.knownRefusal(limit, cost);
    if (decision !== undefined) return decision;
    if (this.waiting.length >= MAX_WAITING) return UNAVAILABLE;
    return new Promise((resolve) => {
      this.waiting.push({ limit, cost, isOfEvents, resolve });
      if (!this.isCalling) this.callNext();
    });
  }

  /**
   * What each limit has used of this hour, from the counters that decide; in the same order.
   * @throws Postgres' error
   */
  async usageOf(limits: readonly HourlyLimit[]): Promise<readonly UsedAllowance[]> {
    const subjects = [...new Set(limits.map(({ subject }) => subject))];
    const { used, hourEndsAtSeconds } = await this.options.counters.usageOf(subjects);
    return limits.map(({ subject, perHour }) => {
      const spent = Math.max(0, (used.get(subject) ?? 0) - this.leases.restOf(subject));
      const remaining = Math.max(0, perHour - spent);
      return { limit: perHour, used: spent, remaining, resetSeconds: hourEndsAtSeconds };
    });
  }

  /** Gives back what leases that are over have not used: to be called about every second. */
  giveBack(): void {
    const nowMs = this.options.monotonicMs();
    for (const subject of this.leases.subjects) {
      if (this.leases.isOver(subject, nowMs)) this.endLease(subject);
    }
    if (!this.isCalling) this.callNext();
  }

  /** Gives all leases back, and takes no more. Resolves when Postgres has them, or when it does not answer. */
  close(): Promise<void> {
    this.isClosing = true;
    for (const subject of this.leases.subjects) this.endLease(subject);
    if (!this.isCalling) this.callNext();
    return new Promise((resolve) => {
      if (this.isCalling) this.onIdle = resolve;
      else resolve();
    });
  }

  private admittedFromLease(limit: HourlyLimit, cost: number): LimitDecision | undefined {
    const nowMs = this.options.monotonicMs();
    const lease = this.leases.take(limit, cost, nowMs);
    if (lease === undefined) return undefined;
    const { perHour, beyond, rest, hourEndsAtSeconds, hourEndsAtMs } = lease;
    return {
      kind: 'admitted',
      allowance: { limit: perHour, remaining: beyond + rest, resetSeconds: hourEndsAtSeconds },
      retryAfterSeconds: retryAfter(hourEndsAtMs - nowMs),
    };
  }

  private endLease(subject: string): void {
    const ended = this.leases.end(subject, this.options.monotonicMs());
    if (ended === undefined) return;
    this.ended.set(subject, ended);
    this.known.delete(subject);
  }

  private callNext(): void {
    const taken = this.takeWaiting();
    const bySubject = groupBySubject(taken);
    for (const subject of bySubject.keys()) this.endLease(subject);
    for (const subject of this.ended.keys()) if (!bySubject.has(subject)) bySubject.set(subject, []);
    this.isCalling = bySubject.size > 0;
    if (!this.isCalling) return this.onIdle();
    const groups = [...bySubject].map(([subject, waiting]) => ({ subject, waiting }));
    // As the store requires.
    groups.sort((left, right) => (left.subject < right.subject ? -1 : 1));
    void this.call(groups).then(() => {
      if (taken.length > QUIET_PER_CALL) setTimeout(() => this.callNext(), BUSY_PAUSE_MS);
      else this.callNext();
    });
  }

  /** Requests for the next call: those that no lease covers, which may have come since they waited. */
  private takeWaiting(): readonly Waiting[] {
    const taken: Waiting[] = [];
    let looked = 0;
    for (; looked < this.waiting.length && taken.length < MAX_PER_CALL; looked += 1) {
      const one = this.waiting[looked];
      if (one === undefined) break;
      const admitted = this.admittedFromLease(one.limit, one.cost);
      if (admitted === undefined) taken.push(one);
      else one.resolve(admitted);
    }
    this.waiting.splice(0, looked);
    return taken;
  }

  private async call(groups: readonly Group[]): Promise<void> {
    const { counters, areEventsBeside, monotonicMs, onError } = this.options;
    const sentAtMs = monotonicMs();
    const consumptions = groups.map((group) => this.consumptionOf(group, sentAtMs));
    // What is taken in advance must be known to Postgres after any crash: it is not of one event.
    const isLate =
      areEventsBeside &&
      consumptions.every(({ wish }) => wish === 0) &&
      groups.every(({ waiting }) => waiting.every(({ isOfEvents }) => isOfEvents));
    try {
      const verdicts = await counters.consume(consumptions, isLate);
      groups.forEach((group, index) => this.settle(group, verdicts[index], sentAtMs));
    } catch (error) {
      // What was to be given back may have been: it is never given back twice.
      onError(error);
      for (const { waiting } of groups) for (const { resolve } of waiting) resolve(UNAVAILABLE);
    }
  }

  /** A limit that changed while they waited applies to all of them: the latest is in force. */
  private consumptionOf({ subject, waiting }: Group, nowMs: number): Consumption {
    const perHour = waiting.at(-1)?.limit.perHour ?? 0;
    const costs = waiting.map(({ cost }) => cost);
    const ended = this.ended.get(subject);
    this.ended.delete(subject);
    const cost = costs.reduce((sum, each) => sum + each, 0);
    const demand = { perHour, requests: costs.length, cost };
    const wish = this.isClosing ? 0 : this.leases.wish(subject, demand, nowMs);
    return { subject, perHour, costs, wish, ended };
  }

  private settle(
    { subject, waiting }: Group,
    verdict: ConsumptionVerdict | undefined,
    sentAtMs: number,
  ): void {
    if (verdict === undefined) throw new Error('The counters answered for fewer subjects than were asked.');
    const perHour = waiting.at(-1)?.limit.perHour;
    if (perHour === undefined) return;
    const { refused, hourEndsAtSeconds: resetSeconds, secondsLeft, leased } = verdict;
    const retryAfterSeconds = retryAfter(secondsLeft * MS_PER_SECOND);
    let used = verdict.usedBefore;
    waiting.forEach(({ cost, resolve }, position) => {
      const kind = refused.has(position) ? 'refused' : 'admitted';
      if (kind === 'admitted') used += cost;
      const remaining = Math.max(0, perHour - used);
      resolve({ kind, allowance: { limit: perHour, remaining, resetSeconds }, retryAfterSeconds });
    });
    const remaining = Math.max(0, perHour - used - leased);
    // Measured from the start of the call, so that no answer is used after the end of its hour.
    const hourEndsAtMs = sentAtMs + secondsLeft * MS_PER_SECOND;
    const momentMs = Math.min(hourEndsAtMs, sentAtMs + LEASE_MS);
    const refusesUntilMs = verdict.areOthersLent ? momentMs : hourEndsAtMs;
    this.remember(subject, { perHour, remaining, resetSeconds, hourEndsAtMs, refusesUntilMs });
    if (leased === 0) return;
    const ends = { hourEndsAtSeconds: resetSeconds, hourEndsAtMs, endsAtMs: momentMs };
    this.leases.add(subject, { perHour, size: leased, rest: leased, beyond: remaining, ...ends });
    // It was asked for before the end began: the next call gives it back.
    if (this.isClosing) this.endLease(subject);
  }

  private remember(subject: string, known: Known): void {
    if (this.known.size >= MAX_KNOWN && !this.known.has(subject)) this.known.clear();
    this.known.set(subject, known);
  }
}

/** Each group in order of arrival. */
function groupBySubject(taken: readonly Waiting[]): Map<string, Waiting[]> {
  const groups = new Map<string, Waiting[]>();
  for (const one of taken) {
    const group = groups.get(one.limit.subject);
    if (group === undefined) groups.set(one.limit.subject, [one]);
    else group.push(one);
  }
  return groups;
}

function retryAfter(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / MS_PER_SECOND));
}
