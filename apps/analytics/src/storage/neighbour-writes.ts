import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { addNeighbours } from '../domain/neighbours.js';

/** What baskets add to the neighbours of one product. */
export interface AddedNeighbours {
  readonly siteId: string;
  readonly kind: string;
  readonly productId: string;
  /** Weights by product. */
  readonly others: ReadonlyMap<string, number>;
}

/** Lists that are in memory at a time, each of some kilobytes. */
const LISTS_PER_PIECE = 500;

const READ_LISTS = `
  select asked.place::integer as place, known.others, known.weights
  from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as asked (site_id, kind, product_id, place)
  join product_neighbours known using (site_id, kind, product_id)`;
const STORE_LISTS = `
  insert into product_neighbours as known (site_id, kind, product_id, others, weights)
  select site_id, kind, product_id, others, weights from json_to_recordset($1::json)
    as told (site_id uuid, kind text, product_id text, others text[], weights float8[])
  on conflict (site_id, kind, product_id) do update set others = excluded.others, weights = excluded.weights`;

/** The sites are locked. */
export async function addToNeighbours(client: ClientBase, added: readonly AddedNeighbours[]): Promise<void> {
  for (let from = 0; from < added.length; from += LISTS_PER_PIECE) {
    await addPiece(client, added.slice(from, from + LISTS_PER_PIECE));
  }
}

async function addPiece(client: ClientBase, added: readonly AddedNeighbours[]): Promise<void> {
  const { rows } = await client.query<{ place: number; others: string[]; weights: number[] }>({
    name: 'read-neighbours',
    text: READ_LISTS,
    values: [
      arrayLiteral(added.map(({ siteId }) => siteId)),
      arrayLiteral(added.map(({ kind }) => kind)),
      arrayLiteral(added.map(({ productId }) => productId)),
    ],
  });
  const known = new Map(rows.map(({ place, ...list }) => [place, list]));
  const lists = added.map(({ siteId, kind, productId, others }, index) => {
    const list = known.get(index + 1);
    const before = list?.others.map((id, at) => ({ productId: id, weight: list.weights[at] ?? 0 })) ?? [];
    const after = addNeighbours(before, others);
    return {
      site_id: siteId,
      kind,
      product_id: productId,
      others: after.map((one) => one.productId),
      weights: after.map(({ weight }) => weight),
    };
  });
  await client.query({ name: 'store-neighbours', text: STORE_LISTS, values: [JSON.stringify(lists)] });
}
