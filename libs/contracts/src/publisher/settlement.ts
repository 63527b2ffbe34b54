/** A network's record of a sale that a publisher brought (interface page, section 8). */
export const SETTLEMENT_STATUSES = ['pending', 'approved', 'declined', 'reversed'] as const;
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];

/** The fields of a row, in the order of an upload. */
export const SETTLEMENT_FIELDS = [
  'provider_transaction_id',
  'click_reference',
  'order_reference',
  'status',
  'commissionable_amount',
  'commission_amount',
  'currency',
  'transaction_at',
  'updated_at',
] as const;
export type SettlementField = (typeof SETTLEMENT_FIELDS)[number];

/** Rows of one upload. */
export const MAX_SETTLEMENT_ROWS = 100_000;
/** Limit of the upload's body, also after decompression (interface page, section 1). */
export const SETTLEMENT_UPLOAD_LIMIT_BYTES = 32 * 1024 * 1024;

/** One state of a settlement, as reported by the network. Amounts are decimal strings of the currency. */
export interface SettlementState {
  readonly status: SettlementStatus;
  readonly commissionable_amount: string;
  readonly commission_amount: string;
  readonly currency: string;
  readonly order_reference: string | null;
  /** Time of the sale, and of the network's last change: ISO 8601 UTC with milliseconds. */
  readonly transaction_at: string;
  readonly updated_at: string;
  /** When it was recorded here. */
  readonly recorded_at: string;
}

/** An item of `GET /integrations/{id}/settlements`: the current state, and every reported state. */
export interface SettlementResource extends SettlementState {
  readonly id: string;
  readonly site_id: string;
  readonly provider: string;
  readonly provider_transaction_id: string;
  readonly has_click_reference: boolean;
  /** Oldest first by `updated_at`; the last one is the current state. */
  readonly history: readonly SettlementState[];
}
