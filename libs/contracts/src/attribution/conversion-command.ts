import type { AttributionModel } from '../facts/site-record.js';
import { type Reply, type Revision } from '@truetally/kernel';
import {
  Always,
  Flag,
  Identifier,
  ListOf,
  Matching,
  OneOf,
  Readable,
  Timestamp,
} from '../validation/decorators.js';
import { DECIMAL_TEXT, DECIMAL_TEXT_FORM, UUID, UUID_FORM } from '../validation/forms.js';
import { identifier } from '../validation/rules.js';
import { CURRENCY_FORM, currencyOf } from '../management/locale.js';

/** Amounts of every command and record are whole minor units of its currency. */
interface OrderCommand {
  /** Unique per site, over all three kinds. */
  readonly idempotencyKey: string;
  readonly orderId: string;
  /** ISO 8601 UTC, to the microsecond at most. */
  readonly occurredAt: string;
  /** ISO 4217. */
  readonly currency: string;
}

/** A line of a purchase. Amounts are whole minor units of the order's currency. */
export interface PurchaseLine {
  readonly lineId: string;
  readonly sku: string;
  /** Canonical decimal, up to 6 decimals: `1.5`. */
  readonly quantity: string;
  /** Canonical decimal in major units, up to 6 decimals. */
  readonly unitPrice: string;
  readonly subtotal: bigint;
  readonly discount: bigint;
  readonly commissionableAmount: bigint;
  /** Canonical decimal in major units, per unit, up to 6 decimals. */
  readonly itemCost: string | null;
}

/** Whether the backend knows the costs of an order exactly, or estimates them. */
export const MARGIN_BASES = ['exact', 'estimated'] as const;
/** One of `MARGIN_BASES`. */
export type MarginBasis = (typeof MARGIN_BASES)[number];

/** A purchase. Amounts are whole minor units of the order's currency. */
export interface Purchase extends OrderCommand {
  readonly eventType: 'purchase';
  readonly revenue: bigint;
  /** Sum of the lines' subtotals, before discount. */
  readonly merchandise: bigint;
  readonly discount: bigint;
  readonly tax: bigint;
  readonly shipping: bigint;
  readonly commissionableSubtotal: bigint;
  readonly margin: { readonly amount: bigint; readonly basis: MarginBasis; readonly source: string } | null;
  /** 1–500. */
  readonly lines: readonly PurchaseLine[];
  /** Distinct, in the order given. */
  readonly touchIds: readonly string[];
  readonly experimentAssignmentIds: readonly string[];
}

/** Why an order was adjusted (interface page, section 6). */
export const ADJUSTMENT_REASONS = ['return', 'price_correction', 'tax_correction', 'other'] as const;
/** One of `ADJUSTMENT_REASONS`. */
export type AdjustmentReason = (typeof ADJUSTMENT_REASONS)[number];

/** The change of one line; the amount is in whole minor units, with its sign. */
export interface AdjustmentLine {
  readonly lineId: string;
  /** Canonical decimal, either sign. */
  readonly quantityDelta: string;
  readonly subtotalDelta: bigint;
}

/** An adjustment of an order. Deltas are whole minor units with their sign. */
export interface Adjustment extends OrderCommand {
  readonly eventType: 'adjustment';
  readonly revenueDelta: bigint;
  readonly commissionableDelta: bigint;
  readonly taxDelta: bigint;
  readonly shippingDelta: bigint;
  /** Null when absent. */
  readonly marginDelta: bigint | null;
  readonly reason: AdjustmentReason;
  /** Informative; every line must be one of the purchase. */
  readonly lines: readonly AdjustmentLine[];
}

/** The cancellation of an order; the reversed revenue is in whole minor units. */
export interface Cancellation extends OrderCommand {
  readonly eventType: 'cancellation';
  readonly reversedRevenue: bigint;
  readonly reason: string | null;
}

/** A validated conversion event. */
export type ConversionCommand = Purchase | Adjustment | Cancellation;
/** Type of a conversion event. */
export type ConversionEventType = ConversionCommand['eventType'];

/** Who shares a site's commissions (interface page, sections 6 and 9), with the site's revision. */
export interface AttributionSettings extends Revision {
  readonly model: AttributionModel;
  /** Lookback window of a purchase in days, 1–365; null: unlimited. */
  readonly lookbackDays: number | null;
}

/** `attribution-ledger.record-conversion`, keyed by site and order. */
export interface RecordConversion {
  readonly siteId: string;
  readonly requestId: string;
  /** As known to the gateway when it accepted the request; null when it sent none. */
  readonly settings: AttributionSettings | null;
  /** SHA-256 over the command's canonical content, 64 hexadecimal digits. */
  readonly fingerprint: string;
  readonly command: ConversionCommand;
}

/** The state of an order after each type of conversion event. */
export const ORDER_STATES = {
  purchase: 'recorded',
  adjustment: 'adjusted',
  cancellation: 'cancelled',
} as const;
/** State of an order: the last type of conversion event decides it. */
export type OrderState = (typeof ORDER_STATES)[ConversionEventType];

const ID = { max: 128 };
const MAX_TOUCH_IDS = 50;
const EVENT_TYPES = Object.keys(ORDER_STATES);

/** `data` of an accepted conversion (interface page, section 6). Amounts are decimal strings. */
export class ConversionAccepted {
  @Always(true) readonly authoritative!: true;
  @Flag() readonly deduplicated!: boolean;
  @Matching(UUID, UUID_FORM) readonly record_id!: string;
  @Matching(UUID, UUID_FORM) readonly conversion_id!: string;
  @Identifier(ID) readonly order_id!: string;
  @OneOf(EVENT_TYPES) readonly event_type!: ConversionEventType;
  @OneOf(Object.values(ORDER_STATES)) readonly state!: OrderState;
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly remaining_revenue!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly remaining_commissionable!: string;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly recorded_at!: string;
  @ListOf(identifier(ID), { min: 0, max: MAX_TOUCH_IDS }) readonly unmatched_touch_ids!: readonly string[];
}

/** The reply on `attribution-ledger.record-conversion`. */
export type RecordConversionReply = Reply<ConversionAccepted>;
