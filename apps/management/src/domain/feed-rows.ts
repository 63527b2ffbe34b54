import type { JobErrorResource } from '@truetally/contracts/jobs';
import {
  type FeedRow,
  PRODUCT_FILTERS,
  type ProductFields,
  readProductFields,
} from '@truetally/contracts/management';

/** What becomes of rows of a feed. */
export interface JudgedRows {
  readonly products: readonly ProductFields[];
  /** Every product that is named, also by a row that breaks a rule: a mistake does not discontinue it. */
  readonly named: readonly { readonly productId: string; readonly row: number }[];
  readonly errors: readonly JobErrorResource[];
}

/** Rows of a feed are judged one by one. @param named in which row this reading has named a product before */
export function judgeFeedRows(rows: readonly FeedRow[], named: ReadonlyMap<string, number>): JudgedRows {
  const products: ProductFields[] = [];
  const first = new Map(named);
  const errors: JobErrorResource[] = [];
  for (const { row, product, faults } of rows) {
    const id = productIdOf(product);
    const before = id === undefined ? undefined : first.get(id);
    if (before !== undefined && before !== row) {
      errors.push({ row, field: 'product_id', message: `is the product_id of row ${before} too` });
      continue;
    }
    if (id !== undefined) first.set(id, row);
    const read = readProductFields(product);
    if (read.ok && faults.length === 0) products.push(read.value);
    else errors.push(...errorsOf(row, faults, read.ok ? {} : read.error));
  }
  const given = new Set(rows.map(({ row }) => row));
  const ours = [...first].filter(([, row]) => given.has(row));
  return { products, named: ours.map(([productId, row]) => ({ productId, row })), errors };
}

/** Undefined unless it can be one. */
export function productIdOf({ product_id: id }: FeedRow['product']): string | undefined {
  return typeof id === 'string' && PRODUCT_FILTERS.product_id(id) === undefined ? id : undefined;
}

/** The reader of the feed has seen the original: of a field that it judges its words count. */
function errorsOf(
  row: number,
  faults: FeedRow['faults'],
  broken: Readonly<Record<string, readonly string[]>>,
): readonly JobErrorResource[] {
  const fields = new Set(faults.map(({ field }) => field));
  // A row that could not be read whole is not judged further.
  if (fields.has(null)) return faults.map((fault) => ({ row, ...fault }));
  const further = Object.entries(broken).filter(([field]) => !fields.has(field));
  return [
    ...faults.map((fault) => ({ row, ...fault })),
    ...further.flatMap(([field, messages]) => messages.map((message) => ({ row, field, message }))),
  ];
}
