import type { BodyReading } from '../resource/request.js';
import { fail, type FieldErrors, succeed } from '@truetally/kernel';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import { ListOfAnything, Matching, WholeNumber } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { isJsonObject } from '../validation/shape.js';
import { jsonObject } from '../validation/rules.js';
import { type ProductFields, ProductFieldsBody, readProductFields, underPath } from './product.js';

const PRODUCTS = { min: 1, max: 1_000 };
const COUNTED = { min: 0, max: PRODUCTS.max };

/**
 * Body of `PUT /products/batch` (interface page, section 9). Each product is validated by the rules of a
 * single one.
 */
export class ProductBatchBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  @ListOfAnything(PRODUCTS, () => ProductFieldsBody) products!: readonly unknown[];
}

/** Products of one site, without repetitions. */
export interface ProductBatch {
  readonly site_id: string;
  readonly products: readonly ProductFields[];
}

/** The outcome of a batch. The two sum to its products; `updated` ones existed before, changed or not. */
export class ProductBatchAnswer {
  @WholeNumber(COUNTED) readonly created!: number;
  @WholeNumber(COUNTED) readonly updated!: number;
}

const validate = compileValidator(ProductBatchBody, { unknownFields: 'refused' });

/** Every broken rule of every product, by path (`products.3.price`), or the batch in the body. */
export function readProductBatch(body: unknown): BodyReading<ProductBatch> {
  const errors = new Map(Object.entries(toFieldErrors(validate(body))));
  if (!isJsonObject(body) || errors.has('products')) return fail(Object.fromEntries(errors));
  const { site_id, products } = body as unknown as ProductBatchBody;
  const read: ProductFields[] = [];
  for (const [index, item] of products.entries()) {
    const path = `products.${index}`;
    const product = readItem(item, path);
    if (product.ok) read.push(product.value);
    else for (const [field, messages] of Object.entries(product.error)) errors.set(field, messages);
  }
  for (const [path, messages] of Object.entries(repetitionsIn(products))) {
    errors.set(path, [...(errors.get(path) ?? []), ...messages]);
  }
  if (errors.size > 0) return fail(Object.fromEntries(errors));
  return succeed({ site_id: site_id.toLowerCase(), products: read });
}

function readItem(item: unknown, path: string): BodyReading<ProductFields> {
  const fault = jsonObject(item);
  if (fault !== undefined) return fail({ [path]: [fault] });
  const product = readProductFields(item);
  return product.ok ? product : fail(underPath(path, product.error));
}

/** A repeated product would be ambiguous. */
function repetitionsIn(products: readonly unknown[]): FieldErrors {
  const first = new Map<string, number>();
  const errors: Record<string, readonly string[]> = {};
  for (const [index, item] of products.entries()) {
    const id = isJsonObject(item) ? item['product_id'] : undefined;
    if (typeof id !== 'string') continue;
    const before = first.get(id);
    if (before === undefined) first.set(id, index);
    else errors[`products.${index}.product_id`] = [`is the product_id of products.${before} too`];
  }
  return errors;
}
