import { fingerprintHex } from '@truetally/kernel';
import { PLAN_BY_INDEX } from './plan-settings.js';

const LOCK_DIGITS = 16;
const LOCK_BITS = 64;

/**
 * Lock timeout for an order or a chain; then the group is retried. Far longer than a healthy transaction,
 * shorter than a request's timeout.
 */
const LOCK_TIMEOUT_MS = 4_000;

/**
 * Opens a recording transaction: plan settings, and one lock per order, in the order of their numbers, which
 * prevents deadlocks. The holder of an order's lock sees everything that was committed under it before: at
 * read committed, each later statement has a newer snapshot. The row contains the input of `ErasedSites`.
 */
export function openingStatement(orders: readonly { siteId: string; orderId: string }[]): string {
  const numbers = new Set(orders.map(({ siteId, orderId }) => lockNumber(siteId, orderId)));
  const sorted = BigInt64Array.from(numbers).sort();
  return `
    set local lock_timeout = ${LOCK_TIMEOUT_MS};
    ${PLAN_BY_INDEX};
    select pg_advisory_xact_lock(number) from unnest('{${sorted.join(',')}}'::bigint[]) as number;
    select erasures_seen() as erasures`;
}

/** 64 bits of a digest: two orders with the same number only wait for each other. */
function lockNumber(siteId: string, orderId: string): bigint {
  const digits = fingerprintHex(['order', siteId, orderId]).slice(0, LOCK_DIGITS);
  return BigInt.asIntN(LOCK_BITS, BigInt(`0x${digits}`));
}
