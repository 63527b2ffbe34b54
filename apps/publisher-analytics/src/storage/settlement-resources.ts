import type { CurrentSettlement, SettlementState } from '@truetally/contracts/publisher';
import { formatMinor } from '@truetally/kernel';
import { toMilliseconds } from '../domain/instants.js';
import type { SettlementRecord, StateRecord } from './settlement-rows.js';

/** A state, as answers show it. */
export function toState(row: StateRecord): SettlementState {
  return {
    status: row.status,
    commissionable_amount: formatMinor(BigInt(row.commissionable), row.currency),
    commission_amount: formatMinor(BigInt(row.commission), row.currency),
    currency: row.currency,
    order_reference: row.order_reference,
    transaction_at: toMilliseconds(row.transaction_at),
    updated_at: toMilliseconds(row.updated_at),
    recorded_at: toMilliseconds(row.recorded_at),
  };
}

/** A settlement in its current state, as answers show it. */
export function toResource(row: SettlementRecord): CurrentSettlement {
  return {
    id: row.settlement_id,
    site_id: row.site_id,
    provider: row.provider,
    provider_transaction_id: row.provider_transaction_id,
    has_click_reference: row.reference_hash !== null,
    ...toState(row),
  };
}
