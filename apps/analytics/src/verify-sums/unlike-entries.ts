import { escapeIdentifier, type Pool } from 'pg';
import { NOT_ERASED, type WrongSum } from './product-sums.js';

const ENTRY = (amount: string): string =>
  `site_id, record_id, json_build_array(order_id, event_type, currency, ${amount}, occurred_at)::text as value`;

/**
 * Compares what authoritative revenue is made of with the ledger, which owns it: an entry whose fact expired unread is missing here.
 * The facts of records of the last minute may be on their way. For a connection that may read both schemas, as the owner of an
 * installation may.
 * @param ledger name of the ledger's schema
 */
export async function unlikeEntries(pool: Pool, ledger: string, most: number): Promise<readonly WrongSum[]> {
  const owner = escapeIdentifier(ledger);
  const { rows } = await pool.query<Omit<WrongSum, 'table'>>(
    `select site_id as "siteId", record_id as key, kept.value as kept, recorded.value as computed
     from (select ${ENTRY('revenue_delta')} from ledger_entries) as kept
     full join (select ${ENTRY('receivable')}, recorded_at from ${owner}.records where event_type <> 'commission') as recorded
       using (site_id, record_id)
     where kept.value is distinct from recorded.value and ${NOT_ERASED}
       and (recorded_at is null or recorded_at < now() - interval '1 minute') limit $1`,
    [most],
  );
  return rows.map((row) => ({ table: 'ledger_entries', ...row }));
}
