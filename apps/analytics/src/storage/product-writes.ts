import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { BasketChange, BasketEntry } from '../domain/basket.js';
import { type AddedNeighbours, addToNeighbours } from './neighbour-writes.js';

/** What the basket of a site's session gains on a UTC day since 1970. */
export interface ChangedBasket {
  readonly siteId: string;
  readonly day: number;
  /** What was in it, which with the entries of the change makes the change. */
  readonly before: readonly BasketEntry[];
  readonly change: BasketChange;
  /** Of how many sessions the baskets gain it. */
  readonly sessions: number;
}

/** Adds what baskets gain to what is popular, and to what is looked at or bought together. Their products are locked. */
export async function addProducts(client: ClientBase, changes: readonly ChangedBasket[]): Promise<void> {
  await addPopularity(client, changes);
  await addToNeighbours(client, neighboursIn(changes));
}

/** How many products and pairs of products a basket gains: each is a row to write, or a part of one. */
export function gainsOf({ change }: ChangedBasket): number {
  return change.popularity.size + change.pairs;
}

const ADD_POPULARITY = `
  insert into product_popularity as known (site_id, product_id, weight, first_day, last_day)
  select * from unnest($1::uuid[], $2::text[], $3::float8[], $4::integer[], $5::integer[])
  on conflict (site_id, product_id) do update set weight = known.weight + excluded.weight,
    first_day = least(known.first_day, excluded.first_day), last_day = greatest(known.last_day, excluded.last_day)`;

async function addPopularity(client: ClientBase, changes: readonly ChangedBasket[]): Promise<void> {
  const gains = popularityIn(changes);
  if (gains.length === 0) return;
  const values = [
    arrayLiteral(gains.map(({ siteId }) => siteId)),
    arrayLiteral(gains.map(({ productId }) => productId)),
    arrayLiteral(gains.map(({ weight }) => weight)),
    arrayLiteral(gains.map(({ firstDay }) => firstDay)),
    arrayLiteral(gains.map(({ lastDay }) => lastDay)),
  ];
  await client.query({ name: 'add-popularity', text: ADD_POPULARITY, values });
}

function popularityIn(changes: readonly ChangedBasket[]) {
  const gains = new Map<
    string,
    { siteId: string; productId: string; weight: number; firstDay: number; lastDay: number }
  >();
  for (const { siteId, day, change, sessions } of changes) {
    for (const [productId, weight] of change.popularity) {
      const key = `${siteId} ${productId}`;
      const gain = gains.get(key) ?? { siteId, productId, weight: 0, firstDay: day, lastDay: day };
      gain.weight += sessions * weight;
      gain.firstDay = Math.min(gain.firstDay, day);
      gain.lastDay = Math.max(gain.lastDay, day);
      gains.set(key, gain);
    }
  }
  return [...gains.values()];
}

/** Of all changed baskets, by product. */
function neighboursIn(changes: readonly ChangedBasket[]): readonly AddedNeighbours[] {
  const added = new Map<
    string,
    { siteId: string; kind: string; productId: string; others: Map<string, number> }
  >();
  for (const { siteId, change, sessions } of changes) {
    for (const { kind, productId, otherId, weight } of change.together()) {
      const key = `${siteId} ${kind} ${productId}`;
      const one = added.get(key) ?? { siteId, kind, productId, others: new Map<string, number>() };
      one.others.set(otherId, (one.others.get(otherId) ?? 0) + sessions * weight);
      added.set(key, one);
    }
  }
  return [...added.values()];
}
