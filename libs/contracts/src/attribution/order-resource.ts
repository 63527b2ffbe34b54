import { type Reply } from '@truetally/kernel';
import type { AttributionModel } from '../facts/site-record.js';
import { type ConversionEventType, type MarginBasis, type OrderState } from './conversion-command.js';

/** `attribution-ledger.read-order`. */
export interface ReadOrder {
  readonly site_id: string;
  readonly order_id: string;
  /** Maximum number of entries, 1 to MAX_ORDER_ENTRIES. */
  readonly limit: number;
  readonly cursor: string | null;
}

/** Hundreds of times a usual order; such an answer has about 2 MB. */
export const MAX_ORDER_ENTRIES = 2_000;

/**
 * One entry of an order. Amounts are decimal strings of the order's currency, null where the entry has none.
 */
export interface OrderEntry {
  readonly record_id: string;
  readonly event_type: ConversionEventType;
  readonly occurred_at: string;
  readonly recorded_at: string;
  readonly revenue_delta: string;
  readonly commissionable_delta: string;
  readonly tax_delta: string;
  readonly shipping_delta: string;
  readonly discount_delta: string;
  readonly margin_delta: string | null;
  readonly commission_delta: string;
  readonly reason: string | null;
  /** As given; null for a cancellation. */
  readonly lines: readonly unknown[] | null;
  /** In force when the entry was written; null in entries older than the setting, which shared equally. */
  readonly attribution_model: AttributionModel | null;
  /** Null: unlimited. */
  readonly lookback_days: number | null;
  /** Position in the site's chain, from 1. */
  readonly sequence: string;
  /** 64 hexadecimal digits. */
  readonly hash: string;
}

/** An entry that changes the commission only: a touch was matched later. */
export interface CommissionEntry {
  readonly record_id: string;
  readonly recorded_at: string;
  readonly commission_delta: string;
  readonly attribution_model: AttributionModel | null;
  readonly lookback_days: number | null;
  readonly sequence: string;
  readonly hash: string;
}

export interface MatchedTouch {
  readonly touch_id: string;
  readonly provider: string;
  readonly partner_id: string | null;
  readonly occurred_at: string;
}

export const ATTRIBUTION_OUTCOMES = ['attributed', 'refused', 'unmatched'] as const;
export type AttributionOutcome = (typeof ATTRIBUTION_OUTCOMES)[number];

/** Why one touch of the order earns its share. */
export interface Attribution {
  readonly touch_id: string;
  readonly outcome: AttributionOutcome;
  /** A reason of docs/decisions/attribution.md: `shared_equally`, `no_commission_rule`, … */
  readonly reason: string;
  /** Its share of the commission; all shares sum to it. */
  readonly share: string;
}

/** `data` of `GET /partner-attribution/orders/{order_id}` (interface page, section 6). */
export interface OrderResource {
  readonly order_id: string;
  readonly website_id: string;
  readonly currency: string;
  readonly state: OrderState;
  readonly conversion_id: string;
  readonly remaining_revenue: string;
  readonly remaining_commissionable: string;
  readonly margin_basis: MarginBasis | null;
  readonly remaining_margin: string | null;
  readonly commission: string;
  /**
   * Entries and commission changes of this page, in order. All other fields are the current state of the
   * order.
   */
  readonly entries: readonly OrderEntry[];
  readonly commission_entries: readonly CommissionEntry[];
  /** Cursor of the next page; null on the last one. */
  readonly next_cursor: string | null;
  readonly matched_touches: readonly MatchedTouch[];
  readonly unmatched_touch_ids: readonly string[];
  readonly experiment_assignment_ids: readonly string[];
  readonly attribution: readonly Attribution[];
}

export type ReadOrderReply = Reply<OrderResource>;
