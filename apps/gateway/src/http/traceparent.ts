import { randomFillSync } from 'node:crypto';

/** W3C Trace Context, version 00: trace id and parent id must not be all zeros. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const POOL_BYTES = 4_096;

const pool = Buffer.alloc(POOL_BYTES);
let taken = POOL_BYTES;

/** The trace continues under our span; without a valid header a new, unsampled trace starts. */
export function traceparentFrom(header: string | string[] | undefined): string {
  const parts = typeof header === 'string' ? TRACEPARENT.exec(header) : null;
  const traceId = parts?.[1] ?? randomHex(TRACE_ID_BYTES);
  return `00-${traceId}-${randomHex(SPAN_ID_BYTES)}-${parts?.[2] ?? '00'}`;
}

/** From a pool, because a call into the generator costs more than the hex. */
function randomHex(bytes: number): string {
  if (taken + bytes > POOL_BYTES) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += bytes;
  return pool.toString('hex', taken - bytes, taken);
}
