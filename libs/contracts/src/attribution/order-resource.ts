import { ATTRIBUTION_MODELS, type AttributionModel } from '../facts/site-record.js';
import { CURRENCY_FORM, currencyOf } from '../management/locale.js';
import { SitePageQuery } from '../resource/site-page.js';
import { ListOf, NestedList, NonEmptyText, OneOf, Optional, OrAbsent } from '../validation/decorators.js';
import { Identifier, Matching, OrNull, Readable, Text, Timestamp } from '../validation/decorators.js';
import { WholeNumber } from '../validation/decorators.js';
import { DECIMAL_TEXT, DECIMAL_TEXT_FORM, PROVIDER, PROVIDER_FORM } from '../validation/forms.js';
import { SHA_256, SHA_256_FORM, UUID, UUID_FORM } from '../validation/forms.js';
import { identifier } from '../validation/rules.js';
import {
  type ConversionEventType,
  MARGIN_BASES,
  type MarginBasis,
  ORDER_STATES,
  type OrderState,
} from './conversion-command.js';

const ORDER_ID = { max: 128 };

/** `attribution-ledger.read-order`: a page of an order's entries. */
export class ReadOrder extends SitePageQuery {
  @Identifier(ORDER_ID) readonly order_id!: string;
}

/** Hundreds of times a usual order; such an answer has about 2 MB. */
export const MAX_ORDER_ENTRIES = 2_000;

const ID = { max: 128 };
const REASON = { max: 256 };
const LINES = { min: 0, max: 500 };
const TOUCHES = { min: 0, max: 50 };
const ENTRIES = { min: 0, max: MAX_ORDER_ENTRIES };
const LOOKBACK_DAYS = { min: 1, max: 365 };
const SEQUENCE = /^[1-9]\d{0,18}$/;
const SEQUENCE_FORM = 'a whole number as text';
const CURSOR = { max: 512 };

/** An entry that changes the commission only: a touch was matched later. */
export class CommissionEntry {
  @Matching(UUID, UUID_FORM) readonly record_id!: string;
  @Timestamp() readonly recorded_at!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly commission_delta!: string;
  /** In force when the entry was written. */
  @OrNull() @OneOf(ATTRIBUTION_MODELS) readonly attribution_model!: AttributionModel | null;
  /** Null: unlimited. */
  @OrNull() @WholeNumber(LOOKBACK_DAYS) readonly lookback_days!: number | null;
  /** Position in the site's chain, from 1. */
  @Matching(SEQUENCE, SEQUENCE_FORM) readonly sequence!: string;
  @Matching(SHA_256, SHA_256_FORM) readonly hash!: string;
}

/** A line of a purchase, or, with its deltas, of an adjustment. */
export class EntryLine {
  @Identifier(ID) readonly line_id!: string;
  @OrAbsent() @Identifier(ID) readonly sku?: string;
  @OrAbsent() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly quantity?: string;
  @OrAbsent() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly unit_price?: string;
  @OrAbsent() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly subtotal?: string;
  @OrAbsent() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly discount?: string;
  @OrAbsent() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly commissionable_amount?: string;
  /** Null where the purchase names none. */
  @Optional() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly item_cost?: string | null;
  @OrAbsent() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly quantity_delta?: string;
  @OrAbsent() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly subtotal_delta?: string;
}

/**
 * One entry of an order. Amounts are decimal strings of the order's currency, null where the entry has none.
 */
export class OrderEntry extends CommissionEntry {
  @OneOf(Object.keys(ORDER_STATES)) readonly event_type!: ConversionEventType;
  @Timestamp() readonly occurred_at!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly revenue_delta!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly commissionable_delta!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly tax_delta!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly shipping_delta!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly discount_delta!: string;
  @OrNull() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly margin_delta!: string | null;
  @OrNull() @Text(REASON) readonly reason!: string | null;
  /** As given; null for a cancellation. */
  @OrNull() @NestedList(() => EntryLine, LINES) readonly lines!: readonly EntryLine[] | null;
}

/** A touch that an order was matched with. */
export class MatchedTouch {
  @Identifier(ID) readonly touch_id!: string;
  @Matching(PROVIDER, PROVIDER_FORM) readonly provider!: string;
  @OrNull() @Identifier(ID) readonly partner_id!: string | null;
  @Timestamp() readonly occurred_at!: string;
}

export const ATTRIBUTION_OUTCOMES = ['attributed', 'refused', 'unmatched'] as const;
/** One of `ATTRIBUTION_OUTCOMES`. */
export type AttributionOutcome = (typeof ATTRIBUTION_OUTCOMES)[number];

/** Why one touch of the order earns its share. */
export class Attribution {
  @Identifier(ID) readonly touch_id!: string;
  @OneOf(ATTRIBUTION_OUTCOMES) readonly outcome!: AttributionOutcome;
  /** A reason of docs/decisions/attribution.md: `shared_equally`, `no_commission_rule`, … */
  @NonEmptyText(REASON) readonly reason!: string;
  /** Its share of the commission; all shares sum to it. */
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly share!: string;
}

/** `data` of `GET /partner-attribution/orders/{order_id}` (interface page, section 6). */
export class OrderResource {
  @Identifier(ID) readonly order_id!: string;
  @Matching(UUID, UUID_FORM) readonly website_id!: string;
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @OneOf(Object.values(ORDER_STATES)) readonly state!: OrderState;
  @Matching(UUID, UUID_FORM) readonly conversion_id!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly remaining_revenue!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly remaining_commissionable!: string;
  @OrNull() @OneOf(MARGIN_BASES) readonly margin_basis!: MarginBasis | null;
  @OrNull() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly remaining_margin!: string | null;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly commission!: string;
  /**
   * Entries and commission changes of this page, in order. All other fields are the current state of the
   * order.
   */
  @NestedList(() => OrderEntry, ENTRIES) readonly entries!: readonly OrderEntry[];
  @NestedList(() => CommissionEntry, ENTRIES) readonly commission_entries!: readonly CommissionEntry[];
  /** Cursor of the next page; null on the last one. */
  @OrNull() @NonEmptyText(CURSOR) readonly next_cursor!: string | null;
  @NestedList(() => MatchedTouch, TOUCHES) readonly matched_touches!: readonly MatchedTouch[];
  @ListOf(identifier(ID), TOUCHES) readonly unmatched_touch_ids!: readonly string[];
  @ListOf(identifier(ID), TOUCHES) readonly experiment_assignment_ids!: readonly string[];
  @NestedList(() => Attribution, TOUCHES) readonly attribution!: readonly Attribution[];
}
