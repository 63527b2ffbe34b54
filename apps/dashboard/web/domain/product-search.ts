import type { ProductResource } from '@truetally/node';
import { idOf } from './event-search.js';

type Availability = ProductResource['availability'];

export const AVAILABILITIES: readonly Availability[] = [
  'in_stock',
  'out_of_stock',
  'preorder',
  'discontinued',
];

export interface ProductSearch {
  readonly availability?: Availability;
  readonly product_id?: string;
}

/** What of an address narrows the list of products; a broken part falls away. */
export function readProductSearch(search: Record<string, unknown>): ProductSearch {
  const availability = AVAILABILITIES.find((one) => one === search['availability']);
  const id = idOf(search['product_id']);
  return { ...(availability !== undefined && { availability }), ...(id !== undefined && { product_id: id }) };
}
