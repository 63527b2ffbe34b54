import {
  OFFERED_AVAILABILITIES,
  type ProductFields,
  type ProductResource,
} from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { isUniqueViolation, tableOf } from '@truetally/persistence';
import { asJson, type Queryable, writePageOfSites } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { exceedsByNames } from './often-made.store.js';
import type { Exceeded } from './quota.store.js';

const PRODUCT_TABLE = tableOf<ProductResource & { readonly workspace_id: string }>('products', 'id', {
  id: 'uuid',
  workspace_id: 'uuid',
  site_id: 'uuid',
  product_id: 'text',
  title: 'text',
  url: 'text',
  image_url: 'text',
  price: 'numeric',
  currency: 'text',
  availability: 'text',
  attributes: 'json',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
});
export const PRODUCTS = PRODUCT_TABLE.without('workspace_id');
const OFFERED = PRODUCT_TABLE.only(
  'product_id',
  'title',
  'url',
  'image_url',
  'price',
  'currency',
  'availability',
);
const CHANGING = PRODUCTS.without('site_id', 'created_at');

/** Prepared once per connection, like the look-up of one product: planning costs more than execution. */
const INSERT = {
  name: 'product-insert',
  text: `with site as materialized (
      select 1 from sites where workspace_id = ${PRODUCT_TABLE.parameter('workspace_id')}
        and site_id = ${PRODUCT_TABLE.parameter('site_id')} and deleted_at is null for share
    ), stored as (
      insert into products (${PRODUCT_TABLE.columns}) select ${PRODUCT_TABLE.parameters} from site
      on conflict (site_id, product_id) do nothing
      returning 1
    )
    select (select count(*) from site)::int as sites, (select count(*) from stored)::int as stored`,
};
/** A product as answered: its attributes and price are the original text. */
const FIND = {
  name: 'product-find',
  text: asJson(
    PRODUCTS.members(),
    `select ${PRODUCTS.selection()} from products where id = $2 and exists (
       select from sites where sites.site_id = products.site_id and workspace_id = $1 and deleted_at is null)`,
  ),
};

const FIND_OFFERED = {
  name: 'products-offered',
  text: asJson(
    OFFERED.members(),
    `select ${OFFERED.selection()} from products where site_id = $1 and product_id = any ($2::text[])
       and availability = any ($3::text[])
       and exists (select from sites where sites.site_id = $1 and deleted_at is null)`,
  ),
};

/** Stores it in an existing site of this workspace, with the site locked until the transaction ends. */
export async function insertProduct(
  client: ClientBase,
  workspaceId: string,
  product: ProductResource,
): Promise<'no-site' | 'stored' | 'taken'> {
  const values = PRODUCT_TABLE.values({ ...product, workspace_id: workspaceId });
  const { rows } = await client.query<{ sites: number; stored: number }>({ ...INSERT, values });
  if (rows[0]?.sites !== 1) return 'no-site';
  return rows[0].stored === 1 ? 'stored' : 'taken';
}

/** A product of an existing site of this workspace, as JSON text. */
export async function findProduct(
  client: Queryable,
  workspaceId: string,
  id: string,
): Promise<string | undefined> {
  const { rows } = await client.query<{ json: string }>({ ...FIND, values: [workspaceId, id] });
  return rows[0]?.json;
}

/** Those of a site's products that can be bought, each as JSON text. */
export async function offeredProducts(
  client: Queryable,
  siteId: string,
  productIds: readonly string[],
): Promise<readonly string[]> {
  const values = [siteId, productIds, OFFERED_AVAILABILITIES];
  const { rows } = await client.query<{ json: string }>({ ...FIND_OFFERED, values });
  return rows.map(({ json }) => json);
}

/** @returns whether it was stored: false when another product of the site has its new `product_id` */
export async function storeProduct(client: ClientBase, product: ProductResource): Promise<boolean> {
  // Whether the name is free is known only after the insert: a concurrent batch may store another product
  // under it.
  await client.query('savepoint before_renaming');
  try {
    await client.query(CHANGING.update(product.id, product));
    return true;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await client.query('rollback to savepoint before_renaming');
    return false;
  }
}

export interface Upserted {
  readonly created: number;
  /** Number of existing products that changed. */
  readonly changed: number;
}

/**
 * In the order of `product_id`, so that of two batches with the same products one waits for the other without
 * a deadlock. An unchanged product keeps its row.
 */
const UPSERT_SQL = `
  with stored as (
    insert into products as p (id, workspace_id, site_id, product_id, title, url, image_url, price, currency,
      availability, attributes, created_at, updated_at)
    select gen_random_uuid(), $1, $2, product_id, title, url, image_url, price, currency, availability, attributes,
      $3, $3
    from json_to_recordset($4) as n (product_id text, title text, url text, image_url text, price numeric,
      currency text, availability text, attributes json)
    order by product_id collate "C"
    on conflict (site_id, product_id) do update set title = excluded.title, url = excluded.url,
      image_url = excluded.image_url, price = excluded.price, currency = excluded.currency,
      availability = excluded.availability, attributes = excluded.attributes, version = p.version + 1,
      updated_at = excluded.updated_at
    where (p.title, p.url, p.image_url, p.price, p.currency, p.availability, p.attributes::text) is distinct from
      (excluded.title, excluded.url, excluded.image_url, excluded.price, excluded.currency, excluded.availability,
        excluded.attributes::text)
    returning xmax = 0 as is_new
  )
  select count(*) filter (where is_new) as created, count(*) filter (where not is_new) as changed from stored`;

/** Stores products of one site by unique `product_id`. */
export async function upsertProducts(
  client: ClientBase,
  site: { readonly id: string; readonly workspace_id: string },
  products: readonly ProductFields[],
  now: string,
): Promise<Upserted> {
  const { rows } = await client.query<{ created: string; changed: string }>(UPSERT_SQL, [
    site.workspace_id,
    site.id,
    now,
    JSON.stringify(products),
  ]);
  return { created: Number(rows[0]?.created), changed: Number(rows[0]?.changed) };
}

/** Whether products of a batch that the site does not have yet are more than it may have. */
export function exceedsProducts(
  client: ClientBase,
  site: { readonly id: string; readonly workspace_id: string },
  products: readonly ProductFields[],
): Promise<Exceeded | undefined> {
  return exceedsByNames(client, 'products', {
    workspaceId: site.workspace_id,
    siteId: site.id,
    names: products.map(({ product_id: name }) => name),
  });
}

/** A page of the products of these existing sites: the reply's text. */
export function pageOfProducts(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  const { availability, product_id: productId } = query.filters;
  return writePageOfSites(client, query, siteIds, {
    columns: PRODUCTS.selection(),
    members: PRODUCTS.members(),
    from: PRODUCTS.name,
    idColumn: PRODUCTS.key,
    createdColumn: 'created_at',
    where: productId === undefined ? [] : ['product_id = $1'],
    values: productId === undefined ? [] : [productId],
    isUnique: productId !== undefined,
    narrowing: availability === undefined ? [] : [{ column: 'availability', value: availability }],
  });
}
