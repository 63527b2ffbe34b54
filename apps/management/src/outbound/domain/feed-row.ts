import type { FeedRow } from '@truetally/contracts/management';

/** A value in a feed: text, a group of fields, or several of either. */
export type FeedValue = string | FeedFields | readonly FeedValue[];
export interface FeedFields {
  readonly [name: string]: FeedValue;
}

/** A row as it stands in the feed: fields by the names of the product data format, without `g:`. */
export interface RawRow {
  /** From 1. */
  readonly row: number;
  readonly fields: FeedFields;
  /** Why it could not be read whole. */
  readonly fault?: string;
}

const PRICE = /^(\d{1,20}(?:\.\d{1,10})?)\s*([A-Z]{3})$|^([A-Z]{3})\s*(\d{1,20}(?:\.\d{1,10})?)$/;
const PRICE_FORM = 'must be an amount and a currency, such as 15.00 EUR';
/** The product data format's values, and ours. What is on back order can be bought before it is there. */
const AVAILABILITY = new Map([
  ['in_stock', 'in_stock'],
  ['out_of_stock', 'out_of_stock'],
  ['preorder', 'preorder'],
  ['backorder', 'preorder'],
  ['discontinued', 'discontinued'],
]);
const AVAILABILITY_FORM = 'must be in_stock, out_of_stock, preorder, backorder or discontinued';
/** Fields that are a product's own; all others become its attributes. */
const OWN = new Set(['id', 'title', 'link', 'image_link', 'price', 'availability']);

/** What is cut here is no `product_id` still, whose 128 code points take twice as many characters at most. */
const MOST_ID_CHARACTERS = 257;

/** A row as an item of `PUT /products/batch`: which rules it breaks is decided where it is stored. */
export function feedRow({ row, fields, fault }: RawRow): FeedRow {
  const id = textOf(fields['id']);
  if (fault !== undefined) {
    const productId = (id ?? '').slice(0, MOST_ID_CHARACTERS);
    return { row, product: { product_id: productId }, faults: [{ field: null, message: fault }] };
  }
  const faults: FeedRow['faults'][number][] = [];
  const price = priceOf(textOf(fields['price']));
  if (price === 'unreadable') faults.push({ field: 'price', message: PRICE_FORM });
  const availability = availabilityOf(textOf(fields['availability']));
  if (availability === 'unreadable') faults.push({ field: 'availability', message: AVAILABILITY_FORM });
  const product = {
    ...given('product_id', id),
    ...given('title', textOf(fields['title'])),
    ...given('url', textOf(fields['link'])),
    ...given('image_url', textOf(fields['image_link'])),
    ...(price === 'unreadable' ? {} : price),
    ...(availability === 'unreadable' ? {} : given('availability', availability)),
    attributes: Object.fromEntries(Object.entries(fields).filter(([name]) => !OWN.has(name))),
  };
  return { row, product, faults };
}

function given(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}

/** Of several values the first counts, as in the product data format. */
function textOf(value: FeedValue | undefined): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return typeof one === 'string' && one !== '' ? one : undefined;
}

function priceOf(text: string | undefined): Readonly<Record<string, string>> | 'unreadable' {
  if (text === undefined) return {};
  const [, amount, currency, firstCurrency, lastAmount] = PRICE.exec(text) ?? [];
  const [price, code] = [amount ?? lastAmount, currency ?? firstCurrency];
  return price === undefined || code === undefined ? 'unreadable' : { price, currency: code };
}

function availabilityOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return AVAILABILITY.get(text.toLowerCase().replaceAll(/[\s_-]+/g, '_')) ?? 'unreadable';
}
