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
 * The list that is kept of each product, and behind it each basket with the product, which adds its weight to the others in it. Not their
 * pairs: a basket of 32 products has a thousand.
 */
const NEIGHBOURS = `
  with ${baskets(NEIGHBOUR_HALF_LIFE_DAYS)}, together as (
    select site_id, case letter when '${LETTERS.view}' then 'view' else 'purchase' end as kind, weight,
      array_agg(product_id) as products
    from baskets where letter in ('${LETTERS.purchase}', '${LETTERS.view}')
    group by site_id, session_key, day, letter, weight having count(*) > 1
  )
  select site_id as "siteId", kind, product_id as "productId", others, weights, null::float8 as weight,
    first_day >= $1 as "isExplained"
  from product_neighbours left join product_popularity using (site_id, product_id) where ${NOT_ERASED} and ${NOT_PARKED}
  union all
  select site_id, kind, product_id, products, null, weight, null from together, unnest(products) as product_id
  order by 1, 2, 3`;
const ROWS_PER_FETCH = 1_000;

interface NeighbourRow {
  readonly siteId: string;
  readonly kind: string;
  readonly productId: string;
  readonly others: readonly string[];
  /** Null for a basket. */
  readonly weights: readonly number[] | null;
  /** Of a basket. */
  readonly weight: number | null;
  /** Whether the baskets that are kept explain the whole list. */
  readonly isExplained: boolean | null;
}

async function wrongPopularity(
  client: Pick<ClientBase, 'query'>,
  since: number,
  most: number,
): Promise<readonly WrongSum[]> {
  const { rows } = await client.query<Omit<WrongSum, 'table'>>(WRONG_POPULARITY, [most, since]);
  return rows.map((row) => ({ table: 'product_popularity', ...row }));
}

/** Product by product: the neighbours of one are in memory. */
async function wrongNeighbours(
  client: Pick<ClientBase, 'query'>,
  since: number,
  most: number,
): Promise<readonly WrongSum[]> {
  await client.query(`declare neighbours no scroll cursor for ${NEIGHBOURS}`, [since]);
  const wrong: WrongSum[] = [];
  let sums: NeighbourSums | undefined;
  let rows: readonly NeighbourRow[];
  do {
    ({ rows } = await client.query<NeighbourRow>(`fetch ${ROWS_PER_FETCH} from neighbours`));
    for (const row of rows) {
      if (sums?.isOf(row) !== true) {
        wrong.push(...(sums?.wrong() ?? []));
        sums = new NeighbourSums(row);
      }
      sums.add(row);
    }
  } while (rows.length === ROWS_PER_FETCH && wrong.length < most);
  wrong.push(...(sums?.wrong() ?? []));
  await client.query('close neighbours');
  return wrong.slice(0, most);
}

/** The neighbours of one product, as they are kept and as baskets make them. */
class NeighbourSums {
  private readonly kept = new Map<string, number>();
  private readonly computed = new Map<string, number>();
  /** By how much a kept weight may exceed the true one, and what a neighbour may have that is not kept: that of `addNeighbours`. */
  private slack = 0;
  private isExplained = false;

  constructor(private readonly product: NeighbourRow) {}

  isOf({ siteId, kind, productId }: NeighbourRow): boolean {
    const { product } = this;
    return product.productId === productId && product.kind === kind && product.siteId === siteId;
  }

  add({ others, weights, weight, isExplained }: NeighbourRow): void {
    if (weights === null) {
      for (const other of others) this.computed.set(other, (this.computed.get(other) ?? 0) + (weight ?? 0));
      return;
    }
    for (const [index, other] of others.entries()) this.kept.set(other, weights[index] ?? 0);
    if (weights.length >= MOST_NEIGHBOURS) this.slack = weights.at(-1) ?? 0;
    this.isExplained = isExplained === true;
  }

  *wrong(): Generator<WrongSum> {
    const { siteId, kind, productId } = this.product;
    this.computed.delete(productId);
    for (const other of new Set([...this.kept.keys(), ...this.computed.keys()])) {
      const [kept, computed] = [this.kept.get(other), this.computed.get(other)];
      const least = (computed ?? 0) * (1 - ROUNDING);
      const most = this.isExplained ? ((computed ?? 0) + this.slack) * (1 + ROUNDING) : Infinity;
      if ((kept ?? this.slack) >= least && (kept ?? 0) <= most) continue;
      const key = `${kind} ${productId} ${other}`;
      yield { table: 'product_neighbours', siteId, key, kept: textOf(kept), computed: textOf(computed) };
    }
  }
}

function textOf(weight: number | undefined): string | null {
  return weight === undefined ? null : String(weight);
}

/**
 * What is recommended, computed anew from baskets.
 * @param client in a transaction
 * @param since baskets of this UTC day and of later ones are all kept
 */
export async function wrongProductSums(
  client: Pick<ClientBase, 'query'>,
  since: number,
  most: number,
): Promise<readonly WrongSum[]> {
  return [...(await wrongPopularity(client, since, most)), ...(await wrongNeighbours(client, since, most))];
}

/** How many sites' products are not compared, because what their baskets add waits in line. */
export async function sitesInLine(client: Pick<ClientBase, 'query'>): Promise<number> {
  const { rows } = await client.query<{ sites: number }>(
    'select count(distinct site_id)::integer as sites from parked_baskets',
  );
  return rows[0]?.sites ?? 0;
}
