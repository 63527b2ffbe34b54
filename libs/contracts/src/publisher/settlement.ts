import { CURRENCY_FORM, currencyOf } from '../management/locale.js';
import { Flag, Identifier, Matching, NestedList, OneOf, OrNull } from '../validation/decorators.js';
import { Readable, Timestamp, WholeNumber } from '../validation/decorators.js';
import { DECIMAL_TEXT, DECIMAL_TEXT_FORM, PROVIDER, PROVIDER_FORM } from '../validation/forms.js';
import { UUID, UUID_FORM } from '../validation/forms.js';

/** A network's record of a sale that a publisher brought (interface page, section 8). */
export const SETTLEMENT_STATUSES = ['pending', 'approved', 'declined', 'reversed'] as const;
/** One of `SETTLEMENT_STATUSES`. */
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
/** One of `SETTLEMENT_FIELDS`. */
export type SettlementField = (typeof SETTLEMENT_FIELDS)[number];

const ID_CHARACTERS = 256;
/**
 * Longest text of each field, in characters. Amounts, times and words are far shorter; a longer one is refused
 * before it is judged, so that it is never kept.
 */
export const SETTLEMENT_FIELD_CHARACTERS: Readonly<Record<SettlementField, number>> = {
  provider_transaction_id: ID_CHARACTERS,
  click_reference: 1_024,
  order_reference: ID_CHARACTERS,
  status: ID_CHARACTERS,
  commissionable_amount: ID_CHARACTERS,
  commission_amount: ID_CHARACTERS,
  currency: ID_CHARACTERS,
  transaction_at: ID_CHARACTERS,
  updated_at: ID_CHARACTERS,
};

/** Rows of one upload. */
export const MAX_SETTLEMENT_ROWS = 100_000;
/** Limit of the upload's body, also after decompression (interface page, section 1). */
export const SETTLEMENT_UPLOAD_LIMIT_BYTES = 32 * 1024 * 1024;

const ID = { max: ID_CHARACTERS };
/** States that a list shows of each settlement: the newest ones. */
export const MAX_HISTORY = 100;
/** How far a list counts the states of a settlement. */
export const MAX_HISTORY_COUNT = 1_000;
const STATES = { min: 1, max: MAX_HISTORY };
const STATE_COUNT = { min: 1, max: MAX_HISTORY_COUNT };

/** One state of a settlement, as reported by the network. Amounts are decimal strings of the currency. */
export class SettlementState {
  @OneOf(SETTLEMENT_STATUSES) readonly status!: SettlementStatus;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly commissionable_amount!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly commission_amount!: string;
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @OrNull() @Identifier(ID) readonly order_reference!: string | null;
  /** Time of the sale, and of the network's last change: ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly transaction_at!: string;
  @Timestamp() readonly updated_at!: string;
  /** When it was recorded here. */
  @Timestamp() readonly recorded_at!: string;
}

/** A settlement in its current state. */
export class CurrentSettlement extends SettlementState {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Matching(PROVIDER, PROVIDER_FORM) readonly provider!: string;
  @Identifier(ID) readonly provider_transaction_id!: string;
  @Flag() readonly has_click_reference!: boolean;
}

/** An item of `GET /integrations/{id}/settlements`: the current state, and the newest of every reported state. */
export class SettlementResource extends CurrentSettlement {
  /** The newest 100, oldest first by `updated_at`; the last one is the current state. */
  @NestedList(() => SettlementState, STATES) readonly history!: readonly SettlementState[];
  /**
   * The number of its states, counted up to 1,000. All of them: `GET
   * /integrations/{id}/settlements/{settlement_id}/history`.
   */
  @WholeNumber(STATE_COUNT) readonly history_count!: number;
}
