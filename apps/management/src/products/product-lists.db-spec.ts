import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/contracts/management';
import { cursorOf } from '@truetally/kernel';
import { ManagementReplicas } from '../testing/management-replicas.js';
import { explain } from '../testing/explain.js';
import { SITE_ERASURES } from '../jobs/erasures.js';
import { pageOfProducts } from '../storage/product.store.js';

const PRODUCTS = 200_000;
const LIMIT = 50;

let replicas: ManagementReplicas;
let site: SiteResource;
let siteIds: readonly string[];

/**
 * One in a thousand is rare. Half of the products sort behind all the others, which no statistics show. Each
 * batch created ten.
 */
const FILL = `
  insert into products (id, workspace_id, site_id, product_id, title, availability, attributes, created_at, updated_at)
  select gen_random_uuid(), $1, $2, 'p' || n, 'Product ' || n,
    case when n % 1000 = 0 then 'discontinued' when n <= ${PRODUCTS / 2} then 'out_of_stock' else 'in_stock' end, '{}', at, at
  from generate_series(1, ${PRODUCTS}) as n, lateral (
    select timestamptz '2026-01-01' + n / 10 * interval '1 second' as at) as t`;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
  const workspace = await replicas.makeWorkspace();
  const sites = [await replicas.makeSite(workspace.id), await replicas.makeSite(workspace.id)];
  [site] = sites as [SiteResource];
  siteIds = sites.map(({ id }) => id);
  await replicas.owner.query(FILL, [workspace.id, site.id]);
  await replicas.owner.query(
    `insert into products (id, workspace_id, site_id, product_id, title, availability, attributes, created_at, updated_at)
     select gen_random_uuid(), workspace_id, $1, product_id, title, availability, attributes, created_at, updated_at
     from products where product_id like 'p1%' limit 1000`,
    [siteIds[1]],
  );
  await replicas.owner.query('analyze products');
});

afterAll(() => replicas.stop());

const query = (filters: Readonly<Record<string, string>> = {}, cursor: string | null = null) => ({
  workspace_id: site.workspace_id,
  actor: null,
  params: {},
  filters,
  limit: LIMIT,
  cursor,
});
/** A position behind all but the oldest thousand. */
const DEEP = cursorOf({ at: '2026-01-01 00:01:40+00', id: randomUUID() });

describe('a list of one site with 200,000 products', () => {
  it.each<[string, Readonly<Record<string, string>>, string | null, string]>([
    ['the first page', {}, null, 'products_of_site'],
    ['a page far behind', {}, DEEP, 'products_of_site'],
    ['those of an availability', { availability: 'in_stock' }, null, 'products_by_availability'],
    ['those behind all the others', { availability: 'out_of_stock' }, null, 'products_by_availability'],
    ['those of a rare availability', { availability: 'discontinued' }, null, 'products_by_availability'],
    ['those of a rare one far behind', { availability: 'discontinued' }, DEEP, 'products_by_availability'],
    ['one product_id', { product_id: 'p4711' }, null, 'products_site_id_product_id_key'],
  ])('%s comes from an index in its order', async (_, filters, cursor, index) => {
    const plan = await explain(replicas, (client) =>
      pageOfProducts(client, query(filters, cursor), [site.id]),
    );
    expect(plan.indexes).toEqual([index]);
    expect(plan.nodes.filter((node) => /Seq Scan|Bitmap/.test(node))).toEqual([]);
    // A single row needs no sort.
    if (filters['product_id'] === undefined) expect(plan.nodes).not.toContain('Sort');
    expect(plan.mostRows).toBeLessThanOrEqual(LIMIT + 1);
    expect(plan.buffers).toBeLessThan(150);
  });

  it('costs the same at its end as at its beginning', async () => {
    const [first, deep] = [
      await explain(replicas, (client) => pageOfProducts(client, query(), [site.id])),
      await explain(replicas, (client) => pageOfProducts(client, query({}, DEEP), [site.id])),
    ];
    expect(Math.abs(deep.buffers - first.buffers)).toBeLessThan(20);
  });
});

describe('a list of every site of a workspace', () => {
  it.each<[string, Readonly<Record<string, string>>, string | null]>([
    ['the first page', {}, null],
    ['a page far behind', {}, DEEP],
    ['those of a rare availability', { availability: 'discontinued' }, null],
    ['those behind all the others', { availability: 'out_of_stock' }, null],
    ['those behind all the others, far behind', { availability: 'out_of_stock' }, DEEP],
    ['one product_id', { product_id: 'p4711' }, null],
  ])('%s takes of each site no more than a page', async (_, filters, cursor) => {
    const plan = await explain(replicas, (client) => pageOfProducts(client, query(filters, cursor), siteIds));
    expect(plan.nodes.filter((node) => /Seq Scan|Bitmap/.test(node))).toEqual([]);
    expect(plan.indexes).toHaveLength(1);
    expect(plan.mostRows).toBeLessThanOrEqual(siteIds.length * (LIMIT + 1));
    expect(plan.buffers).toBeLessThan(300);
  });
});

it('an erasure finds its rows by an index', async () => {
  const products = SITE_ERASURES.find(({ table }) => table === 'products');
  const plan = await explain(replicas, async (client) => products?.erase(client as never, site.id, 1_000));
  expect(plan.nodes.filter((node) => node === 'Seq Scan')).toEqual([]);
  expect(plan.mostRows).toBeLessThanOrEqual(1_000);
});
