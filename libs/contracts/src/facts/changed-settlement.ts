import { type SettlementStatus } from '../publisher/settlement.js';

/**
 * The value of `settlements.changed.v1`, key `site_id:provider:provider_transaction_id`: the current state.
 */
export interface ChangedSettlementFact {
  readonly settlement_id: string;
  readonly site_id: string;
  readonly provider: string;
  readonly provider_transaction_id: string;
  readonly order_reference: string | null;
  readonly status: SettlementStatus;
  /** Null for a new settlement. */
  readonly previous_status: SettlementStatus | null;
  readonly currency: string;
  /** Decimal strings of the currency. */
  readonly commissionable_amount: string;
  readonly commission_amount: string;
  /** ISO 8601 UTC, to the microsecond at most. */
  readonly transaction_at: string;
  readonly updated_at: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly recorded_at: string;
}
