import { COMMAND_AGE_LIMIT_DAYS, DAY_MS, formatInstant } from '@truetally/kernel';
import { type BrokerClock } from '../broker-clock.js';
import { type IncomingRequest } from '../wire.js';

type Clock = Pick<BrokerClock, 'nowMs' | 'skewMs'>;

/**
 * Whether nobody waits for a query's answer any more. By the brokers' time where they have stamped the query, so that two
 * clocks which differ do not make every query look late.
 */
export function isExpired(
  { kind, deadlineMs, isStamped }: Pick<IncomingRequest, 'deadlineMs' | 'isStamped' | 'kind'>,
  clock: Clock,
): boolean {
  if (kind !== 'query' || deadlineMs === undefined) return false;
  return deadlineMs < ((isStamped ? clock.nowMs() : undefined) ?? Date.now());
}

/**
 * In words, that a command is older than Kafka keeps requests: by now nobody may remember that it was carried out, so that
 * it must not be carried out again (docs/decisions/redelivery.md). Undefined for any other.
 */
export function tooOld(
  { kind, writtenMs }: Pick<IncomingRequest, 'kind' | 'writtenMs'>,
  clock: Clock,
): string | undefined {
  // -1 is a record without a time.
  if (kind !== 'command' || writtenMs < 0) return undefined;
  const nowMs = Date.now() - (clock.skewMs() ?? 0);
  if (nowMs - writtenMs <= COMMAND_AGE_LIMIT_DAYS * DAY_MS) return undefined;
  const at = formatInstant(writtenMs);
  return `a command of ${at}, and one older than ${COMMAND_AGE_LIMIT_DAYS} days may have been forgotten`;
}
