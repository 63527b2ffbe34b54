import { COMMAND_AGE_LIMIT_DAYS, DAY_MS, formatInstant } from '@truetally/kernel';
import { CLOCK_SAMPLES_MS, CLOCK_SKEW_LOG_MS, CLOCK_SKEW_WARNING_MS } from './limits.js';
import { type MessagingLog } from './log.js';
import { type MessagingMetrics } from './metrics.js';
import { type IncomingRequest } from './wire.js';

interface Times {
  /** Milliseconds since 1970, by this machine's clock. */
  wallMs(): number;
  /** Milliseconds of a clock that is never adjusted. */
  monotonicMs(): number;
}

const SYSTEM: Times = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/**
 * The brokers' time, estimated from records that they stamped (`LogAppendTime`); the record with the lowest
 * latency is the best estimate. This machine's clock may be wrong or adjusted, and is not used. Its skew to
 * the brokers is reported.
 */
export class BrokerClock {
  private former = Number.NEGATIVE_INFINITY;
  private current = Number.NEGATIVE_INFINITY;
  private sinceMs: number;
  private toldMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: MessagingLog,
    private readonly onMetric: MessagingMetrics,
    private readonly times: Times = SYSTEM,
  ) {
    this.sinceMs = times.monotonicMs();
  }

  /** Call it with the stamp of each such record as soon as it arrives. */
  observe(stampMs: number): void {
    const monotonicMs = this.times.monotonicMs();
    if (monotonicMs - this.sinceMs > CLOCK_SAMPLES_MS) {
      this.former = this.current;
      this.current = Number.NEGATIVE_INFINITY;
      this.sinceMs = monotonicMs;
    }
    const ahead = stampMs - monotonicMs;
    if (ahead <= this.current) return;
    this.current = ahead;
    this.tell();
  }

  /** Undefined until a stamped record has arrived. */
  nowMs(): number | undefined {
    const ahead = Math.max(this.former, this.current);
    return Number.isFinite(ahead) ? this.times.monotonicMs() + ahead : undefined;
  }

  /** By how much this machine's clock is ahead of the brokers'; undefined while unknown. */
  skewMs(): number | undefined {
    const nowMs = this.nowMs();
    return nowMs === undefined ? undefined : this.times.wallMs() - nowMs;
  }

  private tell(): void {
    const skewMs = this.skewMs();
    if (skewMs === undefined) return;
    this.onMetric('messaging_clock_skew_seconds', skewMs / MS_PER_SECOND, {});
    const monotonicMs = this.times.monotonicMs();
    if (Math.abs(skewMs) < CLOCK_SKEW_WARNING_MS || monotonicMs - this.toldMs < CLOCK_SKEW_LOG_MS) return;
    this.toldMs = monotonicMs;
    this.log.warn({ skewMs: Math.round(skewMs) }, "this machine's clock differs from the brokers'");
  }
}

const MS_PER_SECOND = 1_000;

type Clock = Pick<BrokerClock, 'skewMs'>;

type Deadlines = Pick<IncomingRequest, 'brokerDeadlineMs' | 'deadlineMs'>;

/**
 * Whether a query's asker has timed out. Where a broker has stamped the query, both the brokers' time and the
 * machines' must say so: a machine's clock may be wrong, and a broker's may differ from another's or be set
 * back. One wrong clock then does not make every query look late.
 */
export function isExpired(request: Deadlines & Pick<IncomingRequest, 'kind'>, clock: Clock): boolean {
  if (request.kind !== 'query') return false;
  const deadlineMs = ownDeadlineMs(request, clock);
  return deadlineMs !== undefined && deadlineMs < Date.now();
}

/** When the asker times out by this machine's clock: the later time where the two that are known differ. */
export function ownDeadlineMs({ deadlineMs, brokerDeadlineMs }: Deadlines, clock: Clock): number | undefined {
  const skewMs = brokerDeadlineMs === undefined ? undefined : clock.skewMs();
  if (skewMs === undefined || brokerDeadlineMs === undefined) return deadlineMs;
  return Math.max(brokerDeadlineMs + skewMs, deadlineMs ?? Number.NEGATIVE_INFINITY);
}

/**
 * Explains that a command is older than Kafka's request retention. Its outcome may be forgotten by now, so
 * that it must not be executed again (docs/decisions/redelivery.md). Undefined for any other.
 */
export function tooOld(
  { kind, writtenMs }: Pick<IncomingRequest, 'kind' | 'writtenMs'>,
  clock: Clock,
): string | undefined {
  // -1 is a record without a timestamp.
  if (kind !== 'command' || writtenMs < 0) return undefined;
  const nowMs = Date.now() - (clock.skewMs() ?? 0);
  if (nowMs - writtenMs <= COMMAND_AGE_LIMIT_DAYS * DAY_MS) return undefined;
  const at = formatInstant(writtenMs);
  return `a command of ${at}, and one older than ${COMMAND_AGE_LIMIT_DAYS} days may have been forgotten`;
}
