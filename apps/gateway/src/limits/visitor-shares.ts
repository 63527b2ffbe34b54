import type { IncomingMessage } from 'node:http';
import type { HourlyLimit } from './hourly-limit.js';
import type { LimitDecision } from './hourly-limiter.js';

/** What tells a request's address. */
type Visit = Pick<IncomingMessage, 'headers' | 'socket' | 'url'>;

/** What one address, and the network that it is in, may take of a site's hour. */
const SHARE_OF_ADDRESS = 0.2;
const SHARE_OF_NETWORK = 0.6;
/** A shop with a small limit is its owner's choice: its few visitors share it as they come. */
const LEAST_SHARE = 1_000;
const MAX_KNOWN = 100_000;
const MS_PER_SECOND = 1_000;
const MS_PER_HOUR = 3_600_000;

/** What one of the two may use, and has used. */
interface Share {
  readonly key: string;
  readonly most: number;
  readonly used: number;
}

interface Bucket {
  used: number;
  atMs: number;
}

/**
 * Bounds what each client address takes of a site's hourly limit at one gateway: a site's id and origin are public, so that without
 * it anybody could use up the hour of all of a shop's visitors. What an address has used leaks away at the rate of its share.
 */
export class VisitorShares {
  /** In the order of their last use. */
  private readonly buckets = new Map<string, Bucket>();

  /**
   * @param addressOf the client address of a request
   * @param monotonicMs milliseconds of a monotonic clock
   */
  constructor(
    private readonly addressOf: (request: Visit) => string,
    private readonly monotonicMs: () => number,
  ) {}

  /** Takes a cost from the shares of the request's address. @returns the refusal when one of them has not so much left */
  take(request: Visit, limit: HourlyLimit, cost: number): LimitDecision | undefined {
    const shares = this.sharesOf(request, limit);
    const full = shares.find(({ most, used }) => used + cost > most);
    if (full !== undefined) return refusalOf(full, cost);
    for (const { key, used } of shares) this.note(key, used + cost);
    return undefined;
  }

  /** Adds to what the request's address has used, however little is left; gives back what is negative. */
  add(request: Visit, limit: HourlyLimit, cost: number): void {
    for (const { key, used } of this.sharesOf(request, limit)) this.note(key, Math.max(0, used + cost));
  }

  private sharesOf(request: Visit, { subject, perHour }: HourlyLimit): readonly Share[] {
    const address = this.addressOf(request);
    return [
      { key: `${subject} ${address}`, most: Math.max(LEAST_SHARE, Math.floor(perHour * SHARE_OF_ADDRESS)) },
      {
        key: `${subject} ${networkOf(address)}`,
        most: Math.max(LEAST_SHARE, Math.floor(perHour * SHARE_OF_NETWORK)),
      },
    ].map(({ key, most }) => ({ key, most, used: this.usedBy(key, most) }));
  }

  private usedBy(key: string, most: number): number {
    const bucket = this.buckets.get(key);
    if (bucket === undefined) return 0;
    return Math.max(0, bucket.used - ((this.monotonicMs() - bucket.atMs) / MS_PER_HOUR) * most);
  }

  private note(key: string, used: number): void {
    this.buckets.delete(key);
    this.buckets.set(key, { used, atMs: this.monotonicMs() });
    if (this.buckets.size <= MAX_KNOWN) return;
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}

function refusalOf({ most, used }: Share, cost: number): LimitDecision {
  const waitMs = Math.min(MS_PER_HOUR, ((used + cost - most) / most) * MS_PER_HOUR);
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / MS_PER_SECOND));
  const resetSeconds = Math.ceil(Date.now() / MS_PER_SECOND) + retryAfterSeconds;
  const remaining = Math.max(0, Math.floor(most - used));
  return { kind: 'refused', allowance: { limit: most, remaining, resetSeconds }, retryAfterSeconds };
}

/** The /24 of an IPv4 address; the /48 of an IPv6 client, which is known by its /64. */
function networkOf(address: string): string {
  const separator = address.includes(':') ? ':' : '.';
  return `${address.split(separator).slice(0, 3).join(separator)}${separator}*`;
}
