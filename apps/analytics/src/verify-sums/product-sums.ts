import type { ClientBase } from 'pg';
import { LETTERS, POPULARITY } from '../domain/basket.js';
import {
  LANDMARK_DAY,
  NEIGHBOUR_HALF_LIFE_DAYS,
  POPULARITY_HALF_LIFE_DAYS,
} from '../domain/decayed-weight.js';
import { MOST_NEIGHBOURS } from '../domain/neighbours.js';
import { QUARTERS_PER_DAY } from '../domain/quarters.js';

/** A sum that is not what its rows make. */
export interface WrongSum {
  readonly table: string;
  readonly siteId: string;
  /** The row's key within the site. */
  readonly key: string;
  /** Null: it is missing, or should not be there. */
  readonly kept: string | null;
  readonly computed: string | null;
}

/** A site that is being erased loses its rows table by table. */
export const NOT_ERASED = 'site_id not in (select e.site_id from erased_sites e)';

/** What baskets of a site add may wait to be added: then its sums lack that. */
const NOT_PARKED = 'site_id not in (select p.site_id from parked_baskets p)';

/** Doubles are added in the order of arrival. */
const ROUNDING = 1e-9;

const weight = (day: string, halfLifeDays: number): string =>
  `power(2::float8, (${day} - ${LANDMARK_DAY})::float8 / ${halfLifeDays})`;

/** The entries of all baskets that are compared. The weight is that of a whole day: as many pairs as a basket has, it is one power. */
const baskets = (halfLifeDays: number): string => `
  baskets as materialized (
    select site_id, session_key, day, ${weight('day', halfLifeDays)} as weight, left(entry, 1) as letter,
      substr(entry, 2) as product_id
    from (select *, quarter / ${QUARTERS_PER_DAY} as day from session_quarters where has_basket) quarters,
      unnest(basket) as entry
    where ${NOT_ERASED} and ${NOT_PARKED}
  )`;

/** A product that is older than the baskets that are kept may weigh more than they explain, and never less. */
const WRONG_POPULARITY = `
  with ${baskets(POPULARITY_HALF_LIFE_DAYS)}
  select site_id as "siteId", product_id as key, kept.weight::text as kept, computed.weight::text as computed
  from product_popularity kept full join (
    select site_id, product_id, sum(weight * case letter when '${LETTERS.view}' then ${POPULARITY.view}
      when '${LETTERS.cart}' then ${POPULARITY.cart} else ${POPULARITY.purchase} end) as weight
    from baskets where letter <> '${LETTERS.order}' group by site_id, product_id) computed using (site_id, product_id)
  where ${NOT_ERASED} and ${NOT_PARKED} and (kept.weight is null
    or kept.weight < coalesce(computed.weight, 0) * (1 - ${ROUNDING})
    or (kept.first_day >= $2 and kept.weight > coalesce(computed.weight, 0) * (1 + ${ROUNDING})))
  limit $1`;

/**
 * The bound of `addNeighbours`: of a full list a weight exceeds the true one by at most the lightest, and who is not in
 * it has at most that; any other list is exact.
 */
const WRONG_NEIGHBOURS = `
  with ${baskets(NEIGHBOUR_HALF_LIFE_DAYS)}, lists as (
    select site_id, kind, product_id, others, weights, case
      when cardinality(weights) >= ${MOST_NEIGHBOURS} then weights[cardinality(weights)] else 0 end as slack
    from product_neighbours
  ), kept as (
    select site_id, kind, product_id, other, weight from lists, unnest(others, weights) as one (other, weight)
  ), computed as (
    select one.site_id, case one.letter when '${LETTERS.view}' then 'view' else 'purchase' end as kind,
      one.product_id, other.product_id as other,
      sum(one.weight) as weight
    from baskets one join baskets other using (site_id, session_key, day, letter)
    where one.letter in ('${LETTERS.purchase}', '${LETTERS.view}') and one.product_id <> other.product_id
    group by one.site_id, one.letter, one.product_id, other.product_id
  )
  select site_id as "siteId", concat_ws(' ', kind, product_id, other) as key, kept.weight::text as kept,
    computed.weight::text as computed
  from kept full join computed using (site_id, kind, product_id, other)
    left join lists using (site_id, kind, product_id)
    left join product_popularity product using (site_id, product_id)
  where ${NOT_ERASED} and ${NOT_PARKED} and (coalesce(kept.weight, slack, 0) < coalesce(computed.weight, 0) * (1 - ${ROUNDING})
    or (product.first_day >= $2
      and kept.weight > (coalesce(computed.weight, 0) + slack) * (1 + ${ROUNDING})))
  limit $1`;

const COMPARISONS = [
  ['product_popularity', WRONG_POPULARITY],
  ['product_neighbours', WRONG_NEIGHBOURS],
] as const;

/**
 * What is recommended, computed anew from baskets.
 * @param since baskets of this UTC day and of later ones are all kept
 */
export async function wrongProductSums(
  client: Pick<ClientBase, 'query'>,
  since: number,
  most: number,
): Promise<readonly WrongSum[]> {
  const wrong: WrongSum[] = [];
  for (const [table, text] of COMPARISONS) {
    const { rows } = await client.query<Omit<WrongSum, 'table'>>(text, [most, since]);
    wrong.push(...rows.map((row) => ({ table, ...row })));
  }
  return wrong;
}

/** How many sites' products are not compared, because what their baskets add waits in line. */
export async function sitesInLine(client: Pick<ClientBase, 'query'>): Promise<number> {
  const { rows } = await client.query<{ sites: number }>(
    'select count(distinct site_id)::integer as sites from parked_baskets',
  );
  return rows[0]?.sites ?? 0;
}
