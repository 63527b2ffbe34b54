import { arrayLiteral, floatArray, floatsOf, uuidArray } from '@truetally/persistence';
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

/** Weights come as they are stored: as digits they took a third of the statement, and have to be read again. */
const READ_LISTS = `
  select asked.place::integer as place, known.others, array_send(known.weights) as weights
  from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as asked (site_id, kind, product_id, place)
  join product_neighbours known using (site_id, kind, product_id)`;
/** The weights of all lists are one parameter, of which each takes its part: a list as JSON cost three times as much. */
const STORE_LISTS = `
  insert into product_neighbours as known (site_id, kind, product_id, others, weights)
  select site_id, kind, product_id, others::text[], ($5::float8[])[first:last]
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $6::integer[], $7::integer[])
    as told (site_id, kind, product_id, others, first, last)
  on conflict (site_id, kind, product_id) do update set others = excluded.others, weights = excluded.weights`;

/** The sites are locked. */
export async function addToNeighbours(client: ClientBase, added: readonly AddedNeighbours[]): Promise<void> {
  for (let from = 0; from < added.length; from += LISTS_PER_PIECE) {
    await addPiece(client, added.slice(from, from + LISTS_PER_PIECE));
  }
}

async function addPiece(client: ClientBase, added: readonly AddedNeighbours[]): Promise<void> {
  const keys = [
    uuidArray(added.map(({ siteId }) => siteId)),
    arrayLiteral(added.map(({ kind }) => kind)),
    arrayLiteral(added.map(({ productId }) => productId)),
  ];
  const { rows } = await client.query<{ place: number; others: string[]; weights: Buffer }>({
    name: 'read-neighbours',
    text: READ_LISTS,
    values: keys,
  });
  const known = new Map(rows.map(({ place, ...list }) => [place, list]));
  const lists = added.map(({ others }, index) => {
    const list = known.get(index + 1);
    const weights = list === undefined ? [] : floatsOf(list.weights);
    const before = list?.others.map((productId, at) => ({ productId, weight: weights[at] ?? 0 })) ?? [];
    return addNeighbours(before, others);
  });
  let end = 0;
  const lasts = lists.map(({ length }) => (end += length));
  const values = [
    ...keys,
    arrayLiteral(lists.map((list) => arrayLiteral(list.map(({ productId }) => productId)))),
    floatArray(lists.flatMap((list) => list.map(({ weight }) => weight))),
    arrayLiteral(lasts.map((last, index) => last - (lists[index]?.length ?? 0) + 1)),
    arrayLiteral(lasts),
  ];
  await client.query({ name: 'store-neighbours', text: STORE_LISTS, values });
}
