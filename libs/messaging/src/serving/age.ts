import { COMMAND_AGE_LIMIT_DAYS, DAY_MS, formatInstant } from '@truetally/kernel';
import { type BrokerClock } from '../broker-clock.js';
import { type IncomingRequest } from '../wire.js';

type Clock = Pick<BrokerClock, 'nowMs' | 'skewMs'>;

/**
 * Whether a query's asker has timed out. Uses the brokers' time where they have stamped the query, so that
 * clock skew does not make every query look late.
 */
export function isExpired(
  { kind, deadlineMs, isStamped }: Pick<IncomingRequest, 'deadlineMs' | 'isStamped' | 'kind'>,
  clock: Clock,
): boolean {
  if (kind !== 'query' || deadlineMs === undefined) return false;
  return deadlineMs < ((isStamped ? clock.nowMs() : undefined) ?? Date.now());
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
