import type { ConversionEventType, MarginBasis, OrderState } from '../attribution/conversion-command.js';
import type { AttributionModel } from './site-record.js';
import type { Attribution } from '../attribution/order-resource.js';

/**
 * The value of `conversions.recorded.v1`: one per ledger record, in order per order id. Amounts are decimal
 * strings of `currency`, null where the record has none.
 */
export interface RecordedConversionFact {
  readonly record_id: string;
  readonly conversion_id: string;
  readonly site_id: string;
  readonly order_id: string;
  /** Position in the order, from 1. */
  readonly order_sequence: number;
  /** `commission`: only the commission changed, because a touch was matched later. */
  readonly event_type: ConversionEventType | 'commission';
  readonly state: OrderState;
  readonly currency: string;
  /** ISO 8601 UTC, to the microsecond at most. A commission record has the time of the entry before it. */
  readonly occurred_at: string;
  readonly purchase_occurred_at: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly recorded_at: string;
  readonly revenue_delta: string;
  readonly commissionable_delta: string;
  readonly tax_delta: string;
  readonly shipping_delta: string;
  readonly discount_delta: string;
  readonly margin_delta: string | null;
  readonly commission_delta: string;
  readonly remaining_revenue: string;
  readonly remaining_commissionable: string;
  readonly remaining_margin: string | null;
  readonly margin_basis: MarginBasis | null;
  readonly commission: string;
  /** The touches of the order. */
  readonly touch_ids: readonly string[];
  readonly unmatched_touch_ids: readonly string[];
  /** Commission settings when the record was written. */
  readonly attribution_model: AttributionModel | null;
  /** Null: unlimited. */
  readonly lookback_days: number | null;
  /** Why each touch of the order earns its share after this record, in the order of `touch_ids`. */
  readonly attribution: readonly Attribution[];
  readonly experiment_assignment_ids: readonly string[];
  readonly reason: string | null;
  /** Position in the site's chain, from 1. */
  readonly sequence: string;
  /** 64 hexadecimal digits. */
  readonly hash: string;
}

/** The value of `ledger.sealed.v1`: the head of a site's chain, to be anchored elsewhere. */
export interface SealedLedgerFact {
  readonly site_id: string;
  readonly sequence: string;
  readonly hash: string;
  /** Of the last record: ISO 8601 UTC with milliseconds. */
  readonly recorded_at: string;
}
