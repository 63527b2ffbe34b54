import { type Anchor, ChainCheck, type LedgerRow, OrderCheck } from '@truetally/contracts/attribution';
import { createHash } from 'node:crypto';
import { type Fault, faultOf } from './fault.js';
import { type LedgerSource } from './ledger-source.js';

export interface Verdict {
  /** Null: every record is as it was when it was sealed, and every account adds up. */
  readonly fault: Fault | null;
  readonly records: number;
  readonly entries: number;
  readonly chains: number;
  readonly orders: number;
}

export interface VerifyOptions {
  readonly anchors?: readonly Anchor[];
  /** Called after each batch with the number of records read so far, over all passes. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Maximum number of orders in memory at once: more need several passes over the records. */
  readonly ordersAtOnce?: number;
}

/** About 400 bytes per order. */
const ORDERS_AT_ONCE = 2_000_000;

/**
 * Verifies every chain from its first record to its head, sums every account of every order, and stops at the
 * first bad record.
 */
export async function verifyLedger(source: LedgerSource, options: VerifyOptions = {}): Promise<Verdict> {
  const passes = Math.max(1, Math.ceil(source.orders / (options.ordersAtOnce ?? ORDERS_AT_ONCE)));
  const chain = new ChainCheck(source.heads, options.anchors ?? []);
  const total = source.records * passes;
  let earliest: Found = { fault: null, index: Number.POSITIVE_INFINITY };
  let orders = 0;
  let entries = 0;
  for (let pass = 0; pass < passes; pass++) {
    const sums = new OrderCheck();
    const isOurs = (row: LedgerRow): boolean => passes === 1 || partOf(row, passes) === pass;
    const check = (row: LedgerRow): string | null =>
      (pass === 0 ? chain.check(row) : null) ?? (isOurs(row) ? sums.check(row) : null);
    const onRead = (read: number): void => options.onProgress?.(pass * source.records + read, total);
    const found = await walk(source, check, earliest.index, onRead);
    if (found.fault !== null) earliest = found;
    else if (pass === 0) earliest = atTheEnd(source, chain, found.index);
    orders += sums.size;
    entries += sums.entries;
  }
  return { fault: earliest.fault, records: source.records, entries, chains: chain.chains, orders };
}

interface Found {
  readonly fault: Fault | null;
  /** Number of good records before it. */
  readonly index: number;
}

/** Stops before the record `until`, where an earlier pass has found a fault. */
async function walk(
  source: LedgerSource,
  check: (row: LedgerRow) => string | null,
  until: number,
  onRead: (read: number) => void,
): Promise<Found> {
  let index = 0;
  for await (const rows of source.batches()) {
    for (const row of rows) {
      if (index >= until) return { fault: null, index };
      const problem = check(row);
      if (problem !== null) return { fault: faultOf(row, problem), index };
      index += 1;
    }
    onRead(index);
  }
  return { fault: null, index };
}

/** A chain that ends early, or records that no page of the walk contained. */
function atTheEnd(source: LedgerSource, chain: ChainCheck, read: number): Found {
  const missing = chain.finish();
  if (missing !== null) return { fault: { message: missing }, index: read };
  if (read === source.records) return { fault: null, index: Number.POSITIVE_INFINITY };
  return {
    fault: { message: `the ledger has ${source.records} records, and its chains hold ${read}` },
    index: read,
  };
}

/** Distributes orders evenly, for any ids. */
function partOf(row: LedgerRow, parts: number): number {
  const digest = createHash('sha256').update(`${row.site_id} ${row.order_id}`).digest();
  return digest.readUInt32BE(0) % parts;
}
