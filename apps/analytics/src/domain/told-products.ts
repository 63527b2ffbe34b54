import { isJsonObject, isLongerThan } from '@truetally/contracts/validation';
import type { BasketEntry } from './basket.js';

/** As in a catalogue; others cannot be recommended. */
const MAX_ID_CHARACTERS = 128;
/** Lines that are read of a purchase. */
const MAX_LINES = 100;
const LISTS = ['lines', 'items', 'products', 'product_ids'] as const;
const IDS = ['product_id', 'item_id', 'id'] as const;

/** What an event tells of products; nothing for most types. */
export function toldProducts(eventType: string, properties: unknown): readonly BasketEntry[] {
  if (!isJsonObject(properties)) return [];
  switch (eventType) {
    case 'product_view':
      return entriesOf('view', [properties['product_id']]);
    case 'add_to_cart':
      return entriesOf('cart', [properties['product_id']]);
    case 'purchase':
      return boughtIn(properties);
    default:
      return [];
  }
}

/** The lines of the first list that has any, else the one product, else the session's cart. */
function boughtIn(properties: Readonly<Record<string, unknown>>): readonly BasketEntry[] {
  for (const name of LISTS) {
    const list = properties[name];
    if (!Array.isArray(list)) continue;
    const entries = entriesOf('purchase', list.slice(0, MAX_LINES).map(idOfLine));
    if (entries.length > 0) return entries;
  }
  const single = entriesOf('purchase', [properties['product_id']]);
  return single.length > 0 ? single : [{ kind: 'order', productId: '' }];
}

function idOfLine(line: unknown): unknown {
  return isJsonObject(line) ? IDS.map((name) => line[name]).find((id) => id !== undefined) : line;
}

function entriesOf(kind: BasketEntry['kind'], ids: readonly unknown[]): readonly BasketEntry[] {
  const entries: BasketEntry[] = [];
  for (const id of ids) {
    const productId = typeof id === 'number' ? String(id) : id;
    if (typeof productId !== 'string' || productId === '' || !isStorable(productId)) continue;
    if (!isLongerThan(productId, MAX_ID_CHARACTERS)) entries.push({ kind, productId });
  }
  return entries;
}

/** Postgres would refuse or change others. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
