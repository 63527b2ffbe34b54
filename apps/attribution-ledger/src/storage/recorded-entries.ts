import { LEDGER_ACCOUNTS } from '@truetally/contracts/attribution';
import type { Period } from '@truetally/kernel';
import type { ClientBase } from 'pg';
import type { Amounts } from '../domain/accounts.js';
import type { AttributionRule } from '../domain/attribution-models.js';
import type { RecordedEntry } from '../domain/facts.js';
import type { EntryType } from '../domain/order.js';
import { amountsOf, ITS_PURCHASE, ORDER_AFTER, type OrderRow, toOrder } from './known-reads.js';

/** A place in all chains, one after the other. */
export interface ChainsPlace {
  readonly siteId: string;
  readonly sequence: string;
}

/** Before the first record of the first chain. */
export const CHAINS_START: ChainsPlace = { siteId: '00000000-0000-0000-0000-000000000000', sequence: '0' };

const DELTAS = LEDGER_ACCOUNTS.map((account) => `'${account}', last.${account}::text`).join(', ');
const READ = `
  select ${ORDER_AFTER}, json_build_object(${DELTAS}) as deltas, last.record_id, last.event_type, last.reason,
    last.attribution_model, last.lookback_days, last.recorded_at::text, last.chain_sequence::text, last.hash
  from records last
  ${ITS_PURCHASE}
  where (last.site_id, last.chain_sequence) > ($1::uuid, $2::bigint) and last.recorded_at >= $3 and last.recorded_at < $4
  order by last.site_id, last.chain_sequence limit $5`;

interface RecordedRow extends OrderRow {
  readonly deltas: Readonly<Record<keyof Amounts, string | null>>;
  readonly record_id: string;
  readonly event_type: EntryType;
  readonly reason: string | null;
  readonly attribution_model: AttributionRule['model'];
  readonly lookback_days: AttributionRule['lookbackDays'];
  readonly recorded_at: string;
  readonly chain_sequence: string;
  readonly hash: string;
}

/** Records of a period after a place, as they were when they were sealed. */
export async function readRecorded(
  client: ClientBase,
  { from, to }: Period,
  { siteId, sequence }: ChainsPlace,
  limit: number,
): Promise<readonly RecordedEntry[]> {
  const { rows } = await client.query<RecordedRow>(READ, [siteId, sequence, from, to, limit]);
  return rows.map((row) => ({
    entry: {
      recordId: row.record_id,
      eventType: row.event_type,
      deltas: amountsOf(row.deltas),
      reason: row.reason,
      rule: { model: row.attribution_model, lookbackDays: row.lookback_days },
      order: toOrder(row),
    },
    fields: { recorded_at: row.recorded_at, chain_sequence: row.chain_sequence },
    hash: row.hash,
  }));
}
