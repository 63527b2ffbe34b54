import { arrayLiteral, BinaryRows, copyIn, ErasedSites, inHotTransaction } from '@truetally/persistence';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { type BasketChange, type BasketEntry, type BasketKey, changeBasket } from '../domain/basket.js';
import { OPEN_FOLD, type OpenedFold } from './fold.store.js';
import { type AddedNeighbours, addToNeighbours } from './neighbour-writes.js';

/** What an event tells of a basket. */
export interface ToldEntry extends BasketKey, BasketEntry {}

/** Baskets are kept for so many UTC days; what is told of an older one is not counted, because it may have been. */
export const BASKET_DAYS = 90;

/** Folds of one site take turns; reports are folded meanwhile. */
const LOCK_SITES = `
  select pg_advisory_xact_lock(hashtextextended('analytics.products ' || site_id, 0))
  from (select unnest($1::text[]) as site_id order by 1) as sites`;

/** Products of sessions, each once, with what follows from them, in one transaction. */
export class BasketStore {
  private readonly erasedSites = new ErasedSites();

  constructor(private readonly pool: Pool) {}

  /**
   * @param told in any order, with possible repetitions
   * @param today as a UTC day since 1970
   * @throws Postgres' error; the same may be retried
   */
  fold(told: readonly ToldEntry[], today: number): Promise<void> {
    const recent = told.filter(({ day }) => day >= today - BASKET_DAYS);
    if (recent.length === 0) return Promise.resolve();
    return inHotTransaction<OpenedFold, undefined>(this.pool, OPEN_FOLD, async (client, [opened]) => {
      const erased = await this.erasedSites.at(client, opened?.seen ?? '0');
      const kept = recent.filter(({ siteId }) => !erased.has(siteId));
      if (kept.length > 0) await this.foldIn(client, kept);
      return { value: undefined, closing: '' };
    });
  }

  private async foldIn(client: PoolClient, told: readonly ToldEntry[]): Promise<void> {
    const siteIds = [...new Set(told.map(({ siteId }) => siteId))];
    await client.query({ name: 'lock-baskets', text: LOCK_SITES, values: [siteIds] });
    const changes = await this.changesOf(client, told);
    await insertEntries(client, changes);
    await addPopularity(client, changes);
    await addToNeighbours(client, neighboursIn(changes));
  }

  private async changesOf(client: ClientBase, told: readonly ToldEntry[]): Promise<readonly ChangedBasket[]> {
    const baskets = Map.groupBy(told, nameOf);
    const keys = [...baskets.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
    const known = Map.groupBy(await readBaskets(client, keys), nameOf);
    return keys.map((basket) => {
      const name = nameOf(basket);
      return { basket, change: changeBasket(basket.day, known.get(name) ?? [], baskets.get(name) ?? []) };
    });
  }
}

interface ChangedBasket {
  readonly basket: BasketKey;
  readonly change: BasketChange;
}

/** A key of a session is a site's alone. */
function nameOf({ sessionKey, day }: BasketKey): string {
  return sessionKey + day;
}

const READ_BASKETS = `
  select known.site_id as "siteId", known.session_key as "sessionKey", known.day, kind, product_id as "productId"
  from unnest($1::uuid[], $2::uuid[], $3::integer[]) as asked (site_id, session_key, day)
  join basket_products known using (site_id, session_key, day)`;

async function readBaskets(client: ClientBase, keys: readonly BasketKey[]): Promise<readonly ToldEntry[]> {
  const values = [
    arrayLiteral(keys.map(({ siteId }) => siteId)),
    arrayLiteral(keys.map(({ sessionKey }) => sessionKey)),
    arrayLiteral(keys.map(({ day }) => day)),
  ];
  const { rows } = await client.query<ToldEntry>({ name: 'read-baskets', text: READ_BASKETS, values });
  return rows;
}

const COPY_ENTRIES =
  'copy basket_products (site_id, session_key, day, kind, product_id) from stdin with (format binary)';

async function insertEntries(client: ClientBase, changes: readonly ChangedBasket[]): Promise<void> {
  const rows = new BinaryRows(5);
  for (const { basket, change } of changes) {
    const { siteId, sessionKey, day } = basket;
    for (const { kind, productId } of change.entries)
      rows.row().uuid(siteId).uuid(sessionKey).integer(day).text(kind).text(productId);
  }
  if (!rows.isEmpty) await copyIn(client, COPY_ENTRIES, rows.finish());
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
  for (const { basket, change } of changes) {
    const { siteId, day } = basket;
    for (const [productId, weight] of change.popularity) {
      const key = `${siteId} ${productId}`;
      const gain = gains.get(key) ?? { siteId, productId, weight: 0, firstDay: day, lastDay: day };
      gain.weight += weight;
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
  for (const { basket, change } of changes) {
    const { siteId } = basket;
    for (const { kind, productId, otherId, weight } of change.together) {
      const key = `${siteId} ${kind} ${productId}`;
      const one = added.get(key) ?? { siteId, kind, productId, others: new Map<string, number>() };
      one.others.set(otherId, (one.others.get(otherId) ?? 0) + weight);
      added.set(key, one);
    }
  }
  return [...added.values()];
}
