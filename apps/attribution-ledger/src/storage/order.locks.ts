import { fingerprintHex } from '@truetally/kernel';
import { PLAN_BY_INDEX } from './plan.settings.js';

const LOCK_DIGITS = 16;
const LOCK_BITS = 64;

/**
 * How long a transaction waits for an order or a chain that another one holds; then the group is given again. Longer
 * than the longest healthy transaction by far, shorter than a request waits.
 */
const LOCK_TIMEOUT_MS = 4_000;

/**
 * Opens a recording transaction: settings for its plans, and one lock per
 * order, in the order of their numbers, so that transactions never wait for one another in a circle.
 * Whoever holds an order's lock has seen everything that was committed under it before: at read committed, each
 * statement after this one sees what is committed when it begins. Its row says what `ErasedSites` asks for.
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

/** 64 bits of a digest: two orders that share a number only wait for each other. */
function lockNumber(siteId: string, orderId: string): bigint {
  const digits = fingerprintHex(['order', siteId, orderId]).slice(0, LOCK_DIGITS);
  return BigInt.asIntN(LOCK_BITS, BigInt(`0x${digits}`));
}
