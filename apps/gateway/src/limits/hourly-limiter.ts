import type { Allowance, HourlyLimit, UsedAllowance } from './hourly-limit.js';
import type { Consumption, ConsumptionVerdict, HourUsage } from '../storage/limit.store.js';

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
  readonly consume: (cost: number) => Promise<LimitVerdict>;
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
const UNAVAILABLE: LimitVerdict = { kind: 'unavailable' };

/**
 * Counts requests against hourly limits, exactly over any number of gateways (docs/decisions/rate-limits.md).
 * Postgres decides: all waiting requests go there in one call, one call at a time. A request that the
 * subject's last answer already rules out is refused here, which is as exact, because an hour's count only
 * grows.
 */
export class HourlyLimiter {
  private readonly waiting: Waiting[] = [];
  private readonly known = new Map<string, Known>();
  private isCalling = false;

  constructor(private readonly options: LimiterOptions) {}

  /** @param isOfEvents whether the request is answered when its events are committed */
  claim(limit: HourlyLimit, isOfEvents = false): LimitClaim {
    return { refusal: this.knownRefusal(limit, 1), consume: (cost) => this.consume(limit, cost, isOfEvents) };
  }

  /** A refusal without a query, or undefined when only Postgres can decide. */
  knownRefusal(limit: HourlyLimit, cost: number): LimitDecision | undefined {
    const known = this.known.get(limit.subject);
    if (known === undefined || known.perHour !== limit.perHour || known.remaining >= cost) return undefined;
    const millisecondsLeft = known.hourEndsAtMs - this.options.monotonicMs();
    if (millisecondsLeft <= 0) return undefined;
    return {
      kind: 'refused',
      allowance: { limit: known.perHour, remaining: known.remaining, resetSeconds: known.resetSeconds },
      retryAfterSeconds: Math.max(1, Math.ceil(millisecondsLeft / 1_000)),
    };
  }

  /** Consumes the whole cost or nothing. Never rejects. */
  consume(limit: HourlyLimit, cost: number, isOfEvents = false): Promise<LimitVerdict> {
    if (!Number.isInteger(cost) || cost < 1 || cost > MAX_COST)
      throw new RangeError('A cost is from 1 to 1000.');
    const refusal = this.knownRefusal(limit, cost);
    if (refusal !== undefined) return Promise.resolve(refusal);
    if (this.waiting.length >= MAX_WAITING) return Promise.resolve(UNAVAILABLE);
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
      const spent = used.get(subject) ?? 0;
      const remaining = Math.max(0, perHour - spent);
      return { limit: perHour, used: spent, remaining, resetSeconds: hourEndsAtSeconds };
    });
  }

  private callNext(): void {
    const taken = this.waiting.splice(0, MAX_PER_CALL);
    this.isCalling = taken.length > 0;
    if (!this.isCalling) return;
    void this.call(groupBySubject(taken)).then(() => {
      if (taken.length > QUIET_PER_CALL) setTimeout(() => this.callNext(), BUSY_PAUSE_MS);
      else this.callNext();
    });
  }

  private async call(groups: readonly Waiting[][]): Promise<void> {
    const { counters, areEventsBeside, monotonicMs } = this.options;
    const sentAtMs = monotonicMs();
    const isLate = areEventsBeside && groups.every((group) => group.every(({ isOfEvents }) => isOfEvents));
    try {
      const verdicts = await counters.consume(groups.map(consumptionOf), isLate);
      groups.forEach((group, index) => this.settle(group, verdicts[index], sentAtMs));
    } catch (error) {
      this.options.onError(error);
      for (const group of groups) for (const { resolve } of group) resolve(UNAVAILABLE);
    }
  }

  private settle(group: readonly Waiting[], verdict: ConsumptionVerdict | undefined, sentAtMs: number): void {
    const perHour = group.at(-1)?.limit.perHour;
    const subject = group[0]?.limit.subject;
    if (verdict === undefined || perHour === undefined || subject === undefined) {
      throw new Error('The counters answered for fewer subjects than were asked.');
    }
    const { refused, hourEndsAtSeconds: resetSeconds, secondsLeft } = verdict;
    const retryAfterSeconds = Math.max(1, Math.ceil(secondsLeft));
    let used = verdict.usedBefore;
    group.forEach(({ cost, resolve }, position) => {
      const kind = refused.has(position) ? 'refused' : 'admitted';
      if (kind === 'admitted') used += cost;
      const remaining = Math.max(0, perHour - used);
      resolve({ kind, allowance: { limit: perHour, remaining, resetSeconds }, retryAfterSeconds });
    });
    // Measured from the start of the call, so that no answer is used after the end of its hour.
    this.remember(subject, {
      perHour,
      remaining: Math.max(0, perHour - used),
      resetSeconds,
      hourEndsAtMs: sentAtMs + secondsLeft * 1_000,
    });
  }

  private remember(subject: string, known: Known): void {
    if (this.known.size >= MAX_KNOWN && !this.known.has(subject)) this.known.clear();
    this.known.set(subject, known);
  }
}

/** Sorted by subject, as the store requires; each group in order of arrival. */
function groupBySubject(taken: readonly Waiting[]): Waiting[][] {
  const groups = new Map<string, Waiting[]>();
  for (const one of taken) {
    const group = groups.get(one.limit.subject);
    if (group === undefined) groups.set(one.limit.subject, [one]);
    else group.push(one);
  }
  if (groups.size < 2) return [...groups.values()];
  return [...groups].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, group]) => group);
}

/** A limit that changed while they waited applies to all of them: the latest is in force. */
function consumptionOf(group: readonly Waiting[]): Consumption {
  const last = group.at(-1);
  if (last === undefined) throw new Error('A group is never empty.');
  return {
    subject: last.limit.subject,
    perHour: last.limit.perHour,
    costs: group.map(({ cost }) => cost),
  };
}
