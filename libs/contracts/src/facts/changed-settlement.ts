import { type SettlementStatus } from '../publisher/settlement.js';

/** The value of `settlements.changed.v1`, key `site_id`: current states, in the order of their changes. */
export interface ChangedSettlementsFact {
  readonly site_id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly recorded_at: string;
  /** At least one. A settlement may be there several times. */
  readonly changes: readonly ChangedSettlement[];
}

export interface ChangedSettlement {
  readonly settlement_id: string;
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
}
