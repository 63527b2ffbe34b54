import { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, type FieldErrors, formatMinor, succeed, toStorableText } from '@truetally/kernel';
import { AmountReader } from '../attribution/amount-reader.js';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import { Decimal, Identifier, JsonObject, LinkUrl, Matching, Name } from '../validation/decorators.js';
import { OneOf, Optional, OrNull, Readable } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { identifier, matching, oneOf } from '../validation/rules.js';
import { isJsonObject } from '../validation/shape.js';
import { CURRENCY_FORM, currencyOf } from './locale.js';
import { attributeFaults, type Attributes, storableAttributes } from './product-attributes.js';

/** Whether a product can be bought. */
export const AVAILABILITIES = ['in_stock', 'out_of_stock', 'preorder', 'discontinued'] as const;
/** One of `AVAILABILITIES`. */
export type Availability = (typeof AVAILABILITIES)[number];

const PRODUCT_ID = { max: 128 };
/** Longer than shops display, and short enough to keep a page of 200 products small. */
const TITLE = { max: 512 };
const PRICE = /^\d{1,40}(\.\d{1,40})?$/;
const URL_LENGTH = { max: 2_048 };

/** One product of `PUT /products/batch` (interface page, section 9). */
export class ProductFieldsBody {
  @Identifier(PRODUCT_ID) product_id!: string;
  @Name(TITLE) title!: string;
  @Optional() @LinkUrl(URL_LENGTH) url?: string | null;
  @Optional() @LinkUrl(URL_LENGTH) image_url?: string | null;
  @Optional() @Decimal() price?: unknown;
  @Optional() @Readable(currencyOf, CURRENCY_FORM, 'currency') currency?: string | null;
  @Optional() @OneOf(AVAILABILITIES) availability?: Availability | null;
  @Optional() @JsonObject() attributes?: Attributes | null;
}

/** Body of `POST /products`, and what a product is after a `PATCH`. */
export class ProductBody extends ProductFieldsBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
}

/** A merchant's description of a product, canonical and with defaults. */
export interface ProductFields {
  /** The merchant's own id, unique on its site. */
  readonly product_id: string;
  readonly title: string;
  readonly url: string | null;
  readonly image_url: string | null;
  /** A decimal string with exactly the currency's decimals; null without a price. */
  readonly price: string | null;
  /** ISO 4217; null without a price. */
  readonly currency: string | null;
  readonly availability: Availability;
  /** As received: numbers that a double would change are `RawNumber`s. */
  readonly attributes: Attributes;
}

/** A product's fields with the site that it belongs to. */
export interface SiteProductFields extends ProductFields {
  readonly site_id: string;
}

/** A product as clients read it. */
export class ProductResource extends Resource implements SiteProductFields {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Identifier(PRODUCT_ID) readonly product_id!: string;
  @Name(TITLE) readonly title!: string;
  @OrNull() @LinkUrl(URL_LENGTH) readonly url!: string | null;
  @OrNull() @LinkUrl(URL_LENGTH) readonly image_url!: string | null;
  @OrNull() @Matching(PRICE, 'a decimal string') readonly price!: string | null;
  @OrNull() @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string | null;
  @OneOf(AVAILABILITIES) readonly availability!: Availability;
  @JsonObject() readonly attributes!: Attributes;
}

/** Filters of a list of products; each rule describes what a value breaks. */
export const PRODUCT_FILTERS = {
  site_id: matching(UUID, UUID_FORM),
  availability: oneOf(AVAILABILITIES),
  product_id: identifier(PRODUCT_ID),
} as const;

const validateFields = compileValidator(ProductFieldsBody, { unknownFields: 'refused' });
const validateBody = compileValidator(ProductBody, { unknownFields: 'refused' });

/** Every broken rule, or the product in the body. */
export function readProduct(body: unknown): BodyReading<SiteProductFields> {
  const judged = judge(body, validateBody);
  if (!judged.ok) return judged;
  const { site_id } = body as ProductBody;
  return succeed({ site_id: site_id.toLowerCase(), ...judged.value });
}

/** The same for a product of a batch, which names its site once for all products. */
export function readProductFields(item: unknown): BodyReading<ProductFields> {
  return judge(item, validateFields);
}

function judge(body: unknown, validate: typeof validateBody): BodyReading<ProductFields> {
  const violations = validate(body);
  if (!isJsonObject(body)) return fail(toFieldErrors(violations));
  const money = readPrice(body);
  const faults = [...violations, ...money.faults, ...attributeFaults(body['attributes'])];
  if (faults.length > 0) return fail(toFieldErrors(faults));
  const { product_id, title, url, image_url, availability, attributes } = body as unknown as ProductBody;
  return succeed({
    product_id,
    title: toStorableText(title),
    url: storableOrNull(url),
    image_url: storableOrNull(image_url),
    ...money.price,
    availability: availability ?? 'in_stock',
    attributes: storableAttributes(attributes ?? {}),
  });
}

type Price = Pick<ProductFields, 'currency' | 'price'>;

const NO_PRICE: Price = { price: null, currency: null };

/**
 * Money as in section 6. Without a price the currency is dropped, so that removing the price removes both.
 */
function readPrice({ price, currency }: Readonly<Record<string, unknown>>): {
  readonly price: Price;
  readonly faults: readonly { readonly path: string; readonly message: string }[];
} {
  if (price === undefined || price === null) return { price: NO_PRICE, faults: [] };
  const code = typeof currency === 'string' ? currencyOf(currency) : undefined;
  const amounts = new AmountReader(code);
  if (currency === undefined || currency === null) amounts.break('currency', 'is required with a price');
  const minor = amounts.amount('price', price, 'not negative');
  const isBroken = minor === undefined || code === undefined || amounts.violations.length > 0;
  return {
    price: isBroken ? NO_PRICE : { price: formatMinor(minor, code), currency: code },
    faults: amounts.violations,
  };
}

function storableOrNull(text: string | null | undefined): string | null {
  return text === undefined || text === null ? null : toStorableText(text);
}

/** Error paths of an item, relative to the whole body. */
export function underPath(prefix: string, errors: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(errors).map(([path, messages]) => [`${prefix}.${path}`, messages]),
  );
}
