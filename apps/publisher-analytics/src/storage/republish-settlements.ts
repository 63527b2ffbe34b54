import type { SettlementStatus } from '@truetally/contracts/publisher';
import { type AskedAgain, republishTable } from '@truetally/service';
import { SettlementFacts } from '../domain/facts.js';
import { SETTLEMENT_COLUMNS, type SettlementRecord, toVersion } from './settlement-rows.js';

type RepublishedRow = SettlementRecord & { readonly previous_status: SettlementStatus | null };

/** The newest state of those that were told before, or at once, is taken for the one that the current state has replaced. */
const SELECT = `
  select ${SETTLEMENT_COLUMNS.replaceAll('s.', 't.')}, (
    select f.status from settlement_states f where f.settlement_id = t.settlement_id and f.updated_at < t.updated_at
      and f.recorded_at <= t.recorded_at order by f.updated_at desc limit 1) as previous_status
  from settlements t`;

/**
 * Publishes the current states of settlements again. One that is being changed is left out, so that no older state follows the
 * newer one, which its change publishes.
 * @returns how many
 */
export function republishSettlements(asked: AskedAgain): Promise<number> {
  return republishTable<RepublishedRow>(asked, {
    table: 'settlements',
    select: SELECT,
    storedAt: 'recorded_at',
    locking: 'for share of t skip locked',
    factsOf: (row) => {
      const facts = new SettlementFacts(row.site_id, row.recorded_at);
      facts.add([{ version: toVersion(row), previousStatus: row.previous_status }]);
      return facts.rows();
    },
  });
}
