import { Identifier, ListOf, Matching, Name, LinkUrl, NestedList, OneOf } from '../validation/decorators.js';
import { OrNull, Readable } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { identifier } from '../validation/rules.js';
import { CURRENCY_FORM, currencyOf } from './locale.js';

const PRODUCT_ID = { max: 128 };
const TITLE = { max: 512 };
const URL_LENGTH = { max: 2_048 };
const PRICE = /^\d{1,40}(\.\d{1,40})?$/;
/** Products that one question may name. */
const ASKED = { min: 1, max: 200 };
/** What a shop may show: it can be bought now, or ordered ahead. */
export const OFFERED_AVAILABILITIES = ['in_stock', 'preorder'] as const;

/** The message of `list-offered-products`. */
export class AskOfferedProducts {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @ListOf(identifier(PRODUCT_ID), ASKED) readonly product_ids!: readonly string[];
}

/** A product as a storefront shows it. */
export class OfferedProduct {
  @Identifier(PRODUCT_ID) readonly product_id!: string;
  @Name(TITLE) readonly title!: string;
  @OrNull() @LinkUrl(URL_LENGTH) readonly url!: string | null;
  @OrNull() @LinkUrl(URL_LENGTH) readonly image_url!: string | null;
  @OrNull() @Matching(PRICE, 'a decimal string') readonly price!: string | null;
  @OrNull() @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string | null;
  @OneOf(OFFERED_AVAILABILITIES) readonly availability!: (typeof OFFERED_AVAILABILITIES)[number];
}

/** Those of the named products that exist and can be bought, in no order. */
export class OfferedProducts {
  @NestedList(() => OfferedProduct, { min: 0, max: ASKED.max }) readonly products!: readonly OfferedProduct[];
}
