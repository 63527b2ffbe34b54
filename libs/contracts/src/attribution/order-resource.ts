import { type Reply } from '@truetally/kernel';
import type { AttributionModel } from '../facts/site-record.js';
import { type ConversionEventType, type MarginBasis, type OrderState } from './conversion-command.js';

/** `attribution-ledger.read-order`. */
export interface ReadOrder {
  readonly site_id: string;
  readonly order_id: string;
  /** Entries at most, 1 to MAX_ORDER_ENTRIES. */
  readonly limit: number;
  readonly cursor: string | null;
}

/** Hundreds of times what an order usually has, and an answer of about 2 MB. */
export const MAX_ORDER_ENTRIES = 2_000;

/** One entry of an order. Amounts are decimal strings of the order's currency, null where the entry says nothing. */
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
  /** In force when the entry was written; null in entries of before there was a choice, which all shared equally. */
  readonly attribution_model: AttributionModel | null;
  /** Null: without end. */
  readonly lookback_days: number | null;
  /** Position in the site's chain, from 1. */
  readonly sequence: string;
  /** 64 hexadecimal digits. */
  readonly hash: string;
}

/** A change of the commission alone: a touch that was matched later. */
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

/** Why one touch of the order earns what it earns. */
export interface Attribution {
  readonly touch_id: string;
  readonly outcome: AttributionOutcome;
  /** A word of the page docs/decisions/attribution.md: `shared_equally`, `no_commission_rule`, … */
  readonly reason: string;
  /** Its part of the commission; all of them sum to it. */
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
  /** Of this page, in their order, as are the changes of the commission; everything else is the order's as it stands now. */
  readonly entries: readonly OrderEntry[];
  readonly commission_entries: readonly CommissionEntry[];
  /** For the entries after these; null when there are none. */
  readonly next_cursor: string | null;
  readonly matched_touches: readonly MatchedTouch[];
  readonly unmatched_touch_ids: readonly string[];
  readonly experiment_assignment_ids: readonly string[];
  readonly attribution: readonly Attribution[];
}

export type ReadOrderReply = Reply<OrderResource>;
