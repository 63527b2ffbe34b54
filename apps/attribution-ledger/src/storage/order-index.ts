import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { OrderChange } from '../domain/order-terms.js';

/** Microseconds before 1970, by which ascending order is newest first. */
const NEWEST_FIRST = '(-(extract(epoch from purchased_at) * 1000000))::bigint';

const INDEX_ORDERS = `
  insert into orders as known (conversion_id, site_id, order_id, newest_first, currency, state, entry_count)
  select conversion_id, site_id, order_id, ${NEWEST_FIRST}, currency, state, entry_count
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::integer[])
    as changed (conversion_id, site_id, order_id, purchased_at, currency, state, entry_count)
  on conflict (conversion_id) do update set
    state = excluded.state, entry_count = known.entry_count + excluded.entry_count`;
const ADD_TERMS = `
  insert into order_terms (site_id, term, newest_first, order_id, conversion_id)
  select site_id, term, ${NEWEST_FIRST}, order_id, conversion_id
  from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::uuid[])
    as added (site_id, term, purchased_at, order_id, conversion_id)
  on conflict do nothing`;
const REMOVE_TERMS = `
  delete from order_terms term
  using (
    select site_id, term, ${NEWEST_FIRST} as newest_first, order_id
    from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::uuid[])
      as removed (site_id, term, purchased_at, order_id, conversion_id)
  ) as gone
  where term.site_id = gone.site_id and term.term = gone.term and term.newest_first = gone.newest_first
    and term.order_id = gone.order_id`;

/** Writes what lists filter orders by, in the transaction of the records, whose locks order it. */
export async function indexOrders(client: ClientBase, changes: readonly OrderChange[]): Promise<void> {
  const orders = changes.map(({ order }) => order);
  const indexing = client.query({
    name: 'index-orders',
    text: INDEX_ORDERS,
    values: [
      arrayLiteral(orders.map(({ conversionId }) => conversionId)),
      arrayLiteral(orders.map(({ siteId }) => siteId)),
      arrayLiteral(orders.map(({ orderId }) => orderId)),
      arrayLiteral(orders.map(({ purchasedAt }) => purchasedAt)),
      arrayLiteral(orders.map(({ currency }) => currency)),
      arrayLiteral(orders.map(({ state }) => state)),
      arrayLiteral(changes.map(({ addedEntries }) => addedEntries)),
    ],
  });
  await Promise.all([
    indexing,
    changeTerms(client, 'add-order-terms', ADD_TERMS, changes, ({ addedTerms }) => addedTerms),
    changeTerms(client, 'remove-order-terms', REMOVE_TERMS, changes, ({ removedTerms }) => removedTerms),
  ]);
}

async function changeTerms(
  client: ClientBase,
  name: string,
  text: string,
  changes: readonly OrderChange[],
  termsOf: (change: OrderChange) => readonly string[],
): Promise<void> {
  const rows = changes.flatMap((change) => termsOf(change).map((term) => ({ term, order: change.order })));
  if (rows.length === 0) return;
  await client.query({
    name,
    text,
    values: [
      arrayLiteral(rows.map(({ order }) => order.siteId)),
      arrayLiteral(rows.map(({ term }) => term)),
      arrayLiteral(rows.map(({ order }) => order.purchasedAt)),
      arrayLiteral(rows.map(({ order }) => order.orderId)),
      arrayLiteral(rows.map(({ order }) => order.conversionId)),
    ],
  });
}
