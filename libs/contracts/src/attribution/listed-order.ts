import { CURRENCY_FORM, currencyOf } from '../management/locale.js';
import { SitePageQuery } from '../resource/site-page.js';
import { Identifier, Matching, NestedList, OneOf, OrNull, Readable } from '../validation/decorators.js';
import { Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, DECIMAL_TEXT, DECIMAL_TEXT_FORM, PROVIDER, PROVIDER_FORM } from '../validation/forms.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { ORDER_STATES, type OrderState } from './conversion-command.js';

const ID = { max: 128 };
const PARTNERS = { min: 0, max: 50 };
const STATES = Object.values(ORDER_STATES);
const MICROSECONDS = /^-?\d{1,18}$/;
const MICROSECONDS_FORM = 'a whole number as text';

/** `list-orders`: a page of a site's orders. At most one of prefix, touch and provider. */
export class AskOrders extends SitePageQuery {
  @OrNull() @OneOf(STATES) readonly state!: OrderState | null;
  @OrNull() @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string | null;
  /** Of the purchase's `occurred_at`, in microseconds since 1970: from ≤ t < to. */
  @OrNull() @Matching(MICROSECONDS, MICROSECONDS_FORM) readonly from!: string | null;
  @OrNull() @Matching(MICROSECONDS, MICROSECONDS_FORM) readonly to!: string | null;
  @OrNull() @Identifier(ID) readonly order_id_prefix!: string | null;
  @OrNull() @Identifier(ID) readonly touch_id!: string | null;
  @OrNull() @Matching(PROVIDER, PROVIDER_FORM) readonly provider!: string | null;
  /** Of the provider. */
  @OrNull() @Identifier(ID) readonly partner_id!: string | null;
}

/** What a partner earns of an order, over all of its touches. */
export class PartnerShare {
  @Matching(PROVIDER, PROVIDER_FORM) readonly provider!: string;
  /** Null: the provider itself, whose touches name no partner. */
  @OrNull() @Identifier(ID) readonly partner_id!: string | null;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly share!: string;
}

/** An item of `GET /partner-attribution/orders` (interface page, section 6). Amounts are decimal strings. */
export class ListedOrder {
  @Identifier(ID) readonly order_id!: string;
  @Matching(UUID, UUID_FORM) readonly conversion_id!: string;
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @OneOf(STATES) readonly state!: OrderState;
  /** Of the purchase, as are `recorded_at` and `revenue`. */
  @Timestamp() readonly occurred_at!: string;
  @Timestamp() readonly recorded_at!: string;
  /** `recorded_at` of the newest record, which may be a change of the commission. */
  @Timestamp() readonly changed_at!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly revenue!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly remaining_revenue!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly remaining_commissionable!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly commission!: string;
  /** Purchase, adjustments and cancellation: as many as the order's `entries`. */
  @WholeNumber(COUNT) readonly entry_count!: number;
  /** The shares in force, summed per partner: together they are the commission. */
  @NestedList(() => PartnerShare, PARTNERS) readonly partners!: readonly PartnerShare[];
}
