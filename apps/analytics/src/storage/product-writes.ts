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

/** Whoever changes a site's products has this lock until its transaction ends. */
export function lockOfProducts(site: string): string {
  return `(hashtextextended('products of ' || ${site}, 0))`;
}

/**
 * Adds what baskets gain to what is popular, and to what is looked at or bought together.
 * @returns their sites, but for those whose products somebody else changes: of these nothing is added
 */
export async function addProducts(
  client: ClientBase,
  changes: readonly ChangedBasket[],
): Promise<ReadonlySet<string>> {
  const free = await addPopularity(client, changes);
  await addToNeighbours(client, neighboursIn(changes.filter(({ siteId }) => free.has(siteId))));
  return free;
}

/** How many products and pairs of products a basket gains: each is a row to write, or a part of one. */
export function gainsOf({ change }: ChangedBasket): number {
  return change.popularity.size + change.pairs;
}

/** With the lock, which would be one more round trip of each fold. */
const ADD_POPULARITY = `
  with free as materialized (
    select site_id from unnest($6::uuid[]) as site_id where pg_try_advisory_xact_lock${lockOfProducts('site_id::text')}
  ), added as (
    insert into product_popularity as known (site_id, product_id, weight, first_day, last_day)
    select gained.* from unnest($1::uuid[], $2::text[], $3::float8[], $4::integer[], $5::integer[]) as gained (site_id)
    where site_id in (select site_id from free)
    on conflict (site_id, product_id) do update set weight = known.weight + excluded.weight,
      first_day = least(known.first_day, excluded.first_day), last_day = greatest(known.last_day, excluded.last_day))
  select site_id as "siteId" from free`;

async function addPopularity(
  client: ClientBase,
  changes: readonly ChangedBasket[],
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  const gains = popularityIn(changes);
  const values = [
    arrayLiteral(gains.map(({ siteId }) => siteId)),
    arrayLiteral(gains.map(({ productId }) => productId)),
    arrayLiteral(gains.map(({ weight }) => weight)),
    arrayLiteral(gains.map(({ firstDay }) => firstDay)),
    arrayLiteral(gains.map(({ lastDay }) => lastDay)),
    arrayLiteral([...new Set(changes.map(({ siteId }) => siteId))]),
  ];
  const { rows } = await client.query<{ siteId: string }>({
    name: 'add-popularity',
    text: ADD_POPULARITY,
    values,
  });
  return new Set(rows.map(({ siteId }) => siteId));
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
