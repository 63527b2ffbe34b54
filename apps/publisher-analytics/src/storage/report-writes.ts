import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { itemIdOf } from '../domain/names.js';
import {
  ITEM_MEASURES,
  type ItemChange,
  type ReportChanges,
  TOTAL_MEASURES,
  type TotalChange,
} from '../domain/report-changes.js';

const PLACE_TYPES = ['uuid', 'text', 'date', 'text'];
const ADD_TOTALS = addition(
  'report_totals',
  ['site_id', 'level', 'start', 'currency'],
  PLACE_TYPES,
  TOTAL_MEASURES,
);
const ADD_ITEMS = addition(
  'report_items',
  ['site_id', 'level', 'start', 'currency', 'kind', 'item_id'],
  [...PLACE_TYPES, 'text', 'uuid'],
  ITEM_MEASURES,
);
const ADD_NAMES = `insert into report_names (item_id, site_id, name)
  select * from unnest($1::uuid[], $2::uuid[], $3::text[]) on conflict do nothing`;

/** Adds changes to the sums, in the transaction of their facts. */
export async function addToReports(client: ClientBase, changes: ReportChanges): Promise<void> {
  const totals = changes.totalChanges();
  const items = changes.itemChanges().map((item) => ({ ...item, itemId: idOf(item) }));
  const named = [...new Map(items.map((item) => [item.itemId, item])).values()];
  // Together, in this order.
  await Promise.all([
    totals.length > 0 && client.query(ADD_TOTALS, columnsOf(totals, TOTAL_MEASURES, placeOf)),
    items.length > 0 &&
      client.query(ADD_NAMES, [
        arrayLiteral(named.map(({ itemId }) => itemId)),
        arrayLiteral(named.map(({ siteId }) => siteId)),
        arrayLiteral(named.map(({ name }) => name)),
      ]),
    items.length > 0 &&
      client.query(
        ADD_ITEMS,
        columnsOf(items, ITEM_MEASURES, (item) => [...placeOf(item), item.kind, item.itemId]),
      ),
  ]);
}

function idOf({ siteId, kind, name }: ItemChange): string {
  return itemIdOf(siteId, kind, name);
}

function placeOf({
  siteId,
  level,
  start,
  currency,
}: Pick<TotalChange, 'currency' | 'level' | 'siteId' | 'start'>) {
  return [siteId, level, start, currency];
}

/** One array per column: the key's, then the measures'. */
function columnsOf<
  Measure extends string,
  T extends { readonly measures: Readonly<Record<Measure, bigint>> },
>(rows: readonly T[], measures: readonly Measure[], keyOf: (row: T) => readonly string[]): string[] {
  const texts = rows.map((row) => [
    ...keyOf(row),
    ...measures.map((measure) => String(row.measures[measure])),
  ]);
  return (texts[0] ?? []).map((_, column) => arrayLiteral(texts.map((row) => row[column] ?? '')));
}

function addition(
  table: string,
  keys: readonly string[],
  keyTypes: readonly string[],
  measures: readonly string[],
): string {
  const types = [...keyTypes, ...measures.map(() => 'numeric')];
  return `
    insert into ${table} (${[...keys, ...measures].join(', ')})
    select * from unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
    on conflict (${keys.join(', ')}) do update
    set ${measures.map((measure) => `${measure} = ${table}.${measure} + excluded.${measure}`).join(', ')}`;
}
