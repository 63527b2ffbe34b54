import { escapeIdentifier, type Pool } from 'pg';
import { NOT_ERASED, type WrongSum } from './product-sums.js';
import type { Unlike } from './unlike-rows.js';

const ENTRY = (amount: string): string =>
  `site_id, record_id, json_build_array(order_id, event_type, currency, ${amount}, occurred_at)::text as value`;

/**
 * Compares what authoritative revenue is made of with the ledger, which owns it: an entry whose fact expired unread is missing here.
 * For a connection that may read both schemas, as the owner of an installation may.
 * @param ledger name of the ledger's schema
 * @param readUntil facts of later records may be on their way
 */
export async function unlikeEntries(
  pool: Pool,
  ledger: string,
  { readUntil, most }: { readonly readUntil: Date; readonly most: number },
): Promise<Unlike> {
  const owner = escapeIdentifier(ledger);
  const { rows } = await pool.query<Omit<WrongSum, 'table'> & { isBehind: boolean; behind: number }>(
    `select *, (count(*) filter (where "isBehind") over ())::float8 as behind from (
       select site_id as "siteId", record_id as key, kept.value as kept, recorded.value as computed,
         kept.value is null and recorded_at >= $2 as "isBehind"
       from (select ${ENTRY('revenue_delta')} from ledger_entries) as kept
       full join (select ${ENTRY('receivable')}, recorded_at from ${owner}.records where event_type <> 'commission') as recorded
         using (site_id, record_id)
       where kept.value is distinct from recorded.value and ${NOT_ERASED}) as unlike
     order by "isBehind" limit $1`,
    [most, readUntil],
  );
  const wrong = rows
    .filter(({ isBehind }) => !isBehind)
    .map(({ siteId, key, kept, computed }) => ({ table: 'ledger_entries', siteId, key, kept, computed }));
  return { wrong, behind: rows[0]?.behind ?? 0 };
}
