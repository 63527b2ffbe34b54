import {
  FIRST_PREVIOUS_HASH,
  LEDGER_ACCOUNTS,
  RECORD_COLUMNS,
  type SealedFields,
  sealOf,
} from '@truetally/contracts/attribution';
import type pg from 'pg';

/** A record as stored in the database. */
export type StoredRecord = SealedFields & { readonly previous_hash: string; readonly hash: string };

/**
 * Reads a site's chain and verifies it: no gap, every seal, every sum, every balance, one purchase per order
 * and nothing after a cancellation, and the head at the end of the chain.
 * @returns its records
 * @throws Error naming the first bad record and its fault
 */
export async function checkLedger(pool: pg.Pool, siteId: string): Promise<readonly StoredRecord[]> {
  const columns = RECORD_COLUMNS.map((column) => `${column}::text`).join(', ');
  const { rows } = await pool.query<StoredRecord>(
    `select ${columns}, previous_hash, hash from records r where site_id = $1 order by r.chain_sequence`,
    [siteId],
  );
  const orders = new Map<string, StoredRecord>();
  let previous: StoredRecord | undefined;
  for (const [index, row] of rows.entries()) {
    const fault = faultOf(row, index + 1, previous, orders.get(row.order_id ?? ''));
    if (fault !== undefined) throw new Error(`Record ${index + 1} of ${siteId}: ${fault}.`);
    orders.set(row.order_id ?? '', row);
    previous = row;
  }
  const heads = await pool.query<{ chain_sequence: string; hash: string }>(
    'select chain_sequence::text, hash from chain_heads where site_id = $1',
    [siteId],
  );
  const head = heads.rows[0] ?? { chain_sequence: '0', hash: FIRST_PREVIOUS_HASH };
  const end = previous?.hash ?? FIRST_PREVIOUS_HASH;
  if (head.chain_sequence !== String(rows.length) || head.hash !== end) {
    throw new Error(`The head of ${siteId} is not the end of its chain.`);
  }
  return rows;
}

function faultOf(
  row: StoredRecord,
  sequence: number,
  previous: StoredRecord | undefined,
  before: StoredRecord | undefined,
): string | undefined {
  if (row.chain_sequence !== String(sequence)) return `its sequence is ${row.chain_sequence ?? 'null'}`;
  const previousHash = previous?.hash ?? FIRST_PREVIOUS_HASH;
  if (row.previous_hash !== previousHash) return 'it does not follow the record before it';
  if (row.hash !== sealOf(previousHash, row)) return 'its seal is broken';
  if ((row.recorded_at ?? '') < (previous?.recorded_at ?? '')) return 'its time goes back';
  if (row.order_sequence !== String(Number(before?.order_sequence ?? 0) + 1)) return 'its order has a gap';
  if ((row.event_type === 'purchase') !== (before === undefined)) return 'an order has one purchase, first';
  if (before?.state === 'cancelled') return 'it follows a cancellation';
  const isAsked = row.event_type === 'adjustment' || row.event_type === 'cancellation';
  if (isAsked && (row.occurred_at ?? '') <= (before?.occurred_at ?? '')) return 'its order does not advance';
  let sum = 0n;
  for (const account of LEDGER_ACCOUNTS) {
    const delta = BigInt(row[account] ?? 0);
    const balance = BigInt(before?.[`${account}_balance`] ?? 0) + delta;
    if (balance !== BigInt(row[`${account}_balance`] ?? 0)) return `its balance of ${account} is wrong`;
    sum += delta;
  }
  return sum === 0n ? undefined : 'it does not sum to zero';
}
