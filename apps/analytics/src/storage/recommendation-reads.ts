import { arrayLiteral } from '@truetally/persistence';
import type { Pool } from 'pg';
import { LETTERS, type NeighbourKind } from '../domain/basket.js';

/** Popular products that are offered for an answer. */
export const MOST_POPULAR = 100;

export interface ProductQuestion {
  readonly siteId: string;
  readonly sessionKey: string | null;
  readonly productId: string | null;
  /** Null: popular products only. */
  readonly kind: NeighbourKind | null;
  readonly withPopular: boolean;
}

export interface FoundProducts {
  /** Best first. */
  readonly related: readonly string[];
  /** The newest 256 at most. */
  readonly bought: readonly string[];
  /** Of the site; empty where they were not asked for. */
  readonly popular: readonly string[];
}

/** Of the highest classes of weight. A site with more products in the class that ends the list may offer others of that class. */
const MOST_WEIGHED = 500;
/** Of the newest, where a shop names one session for all of its visitors. */
const MOST_BOUGHT = 256;
/** Every part is one index scan per question; products that many ask for are read once. */
const FIND = `
  with asked as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[])
      with ordinality as asked (site_id, session_key, product_id, kind, place))
  select asked.place::integer as place, asked.site_id as "siteId",
    (select others from product_neighbours known where known.site_id = asked.site_id
       and known.kind = asked.kind and known.product_id = asked.product_id) as related,
    (select array_agg(product) from (
       select substr(entry, 2) as product from session_quarters seen, unnest(seen.basket) as entry
       where seen.site_id = asked.site_id and seen.session_key = asked.session_key and seen.has_basket
         and left(entry, 1) = '${LETTERS.purchase}'
       order by seen.quarter desc limit ${MOST_BOUGHT}) of_session) as bought
  from asked`;
const POPULAR = `
  select asked.site_id as "siteId", array(
    select product_id from (
      select product_id, weight from product_popularity known where known.site_id = asked.site_id
      order by weight_class desc, product_id limit ${MOST_WEIGHED}) heavy
    order by weight desc, product_id limit ${MOST_POPULAR}) as popular
  from unnest($1::uuid[]) as asked (site_id)`;

/** What visitors buy or look at together, for many questions at once. */
export class RecommendationReads {
  constructor(private readonly pool: Pool) {}

  /** In the order of the questions. */
  async find(questions: readonly ProductQuestion[]): Promise<readonly FoundProducts[]> {
    const sites = questions.filter(({ withPopular }) => withPopular).map(({ siteId }) => siteId);
    const [found, popular] = await Promise.all([
      this.findEach(questions),
      sites.length === 0 ? undefined : this.popularOf([...new Set(sites)]),
    ]);
    return questions.map(({ siteId, productId, withPopular }, index) => {
      const { related, bought } = found.get(index + 1) ?? {};
      const isBought = new Set(bought);
      return {
        related: (related ?? []).filter((id) => id !== productId && !isBought.has(id)),
        bought: [...isBought],
        popular: withPopular ? (popular?.get(siteId) ?? []) : [],
      };
    });
  }

  private async findEach(questions: readonly ProductQuestion[]) {
    const { rows } = await this.pool.query<{
      place: number;
      related: string[] | null;
      bought: string[] | null;
    }>({
      name: 'find-recommended',
      text: FIND,
      values: [
        arrayLiteral(questions.map(({ siteId }) => siteId)),
        arrayLiteral(questions.map(({ sessionKey }) => sessionKey)),
        arrayLiteral(questions.map(({ productId }) => productId)),
        arrayLiteral(questions.map(({ kind }) => kind)),
      ],
    });
    return new Map(rows.map(({ place, ...row }) => [place, row]));
  }

  private async popularOf(siteIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const values = [arrayLiteral(siteIds)];
    const { rows } = await this.pool.query<{ siteId: string; popular: string[] }>({
      name: 'find-popular',
      text: POPULAR,
      values,
    });
    return new Map(rows.map(({ siteId, popular }) => [siteId, popular]));
  }
}
