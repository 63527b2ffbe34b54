import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/contracts';
import { cursorOf } from '@truetally/kernel';
import { ManagementReplicas } from '../management.fixture.js';
import { type Queryable } from '../storage/page.js';
import { escapeLiteral } from 'pg';
import { eraseProductsOfSite, pageOfProducts } from '../storage/product.store.js';

const PRODUCTS = 200_000;
const LIMIT = 50;
const FILL_TIMEOUT_MS = 120_000;

let replicas: ManagementReplicas;
let site: SiteResource;
let siteIds: readonly string[];

/**
 * One in a thousand is rare, and half of the products are behind all the others, where no statistics tell that they
 * are. Ten at a time were made by one batch.
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
}, FILL_TIMEOUT_MS);

afterAll(() => replicas.stop());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

interface Explained {
  readonly nodes: readonly string[];
  readonly indexes: readonly string[];
  /** Rows that any node gave or threw away. */
  readonly mostRows: number;
  readonly buffers: number;
}

type Planned = readonly [{ readonly Plan: Plan }];
type Statement = { readonly name: string; readonly text: string; readonly values: readonly unknown[] };

/** The plan of what a statement of the store does, as it is carried out: prepared ones as their reader has planned them. */
async function explain(work: (client: Queryable) => Promise<unknown>): Promise<Explained> {
  let explained: Explained | undefined;
  const client = {
    query: async (statement: Statement | string, values: unknown[]) => {
      const planned =
        typeof statement === 'string' ? explainOnce(statement, values) : explainPrepared(statement);
      explained = describePlan((await planned)?.[0].Plan);
      return { rows: [], rowCount: 0 };
    },
  };
  await work(client as unknown as Queryable);
  if (explained === undefined) throw new Error('Nothing was asked.');
  return explained;
}

async function explainOnce(sql: string, values: unknown[]): Promise<Planned | undefined> {
  const { rows } = await replicas.pool.query<{ 'QUERY PLAN': Planned }>(`${EXPLAIN} ${sql}`, values);
  return rows[0]?.['QUERY PLAN'];
}

async function explainPrepared({ name, text, values }: Statement): Promise<Planned | undefined> {
  const given = values.map((value) => literal(value)).join(', ');
  await replicas.reader.query(`prepare "${name}" as ${text}`);
  const { rows } = await replicas.reader.query<{ 'QUERY PLAN': Planned }>(
    `${EXPLAIN} execute "${name}" (${given})`,
  );
  await replicas.reader.query(`deallocate "${name}"`);
  return rows[0]?.['QUERY PLAN'];
}

function literal(value: unknown): string {
  return Array.isArray(value)
    ? `array[${value.map((item) => literal(item)).join(', ')}]::uuid[]`
    : escapeLiteral(String(value));
}

function describePlan(
  root:
    (Plan & { readonly 'Shared Hit Blocks'?: number; readonly 'Shared Read Blocks'?: number }) | undefined,
): Explained {
  const all = nodesOf(root);
  return {
    nodes: all.map((node) => node['Node Type']),
    indexes: all.flatMap((node) => node['Index Name'] ?? []),
    mostRows: Math.max(
      ...all.map(
        (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      ),
    ),
    buffers: (root?.['Shared Hit Blocks'] ?? 0) + (root?.['Shared Read Blocks'] ?? 0),
  };
}

function nodesOf(plan: Plan | undefined): readonly Plan[] {
  return plan === undefined ? [] : [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

const EXPLAIN = 'explain (analyze, buffers, format json)';
const query = (filters: Readonly<Record<string, string>> = {}, cursor: string | null = null) => ({
  workspace_id: site.workspace_id,
  actor: null,
  params: {},
  filters,
  limit: LIMIT,
  cursor,
});
/** Behind all but the oldest thousand. */
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
    const plan = await explain((client) => pageOfProducts(client, query(filters, cursor), [site.id]));
    expect(plan.indexes).toEqual([index]);
    expect(plan.nodes.filter((node) => /Seq Scan|Bitmap/.test(node))).toEqual([]);
    // One row needs no order.
    if (filters['product_id'] === undefined) expect(plan.nodes).not.toContain('Sort');
    expect(plan.mostRows).toBeLessThanOrEqual(LIMIT + 1);
    expect(plan.buffers).toBeLessThan(150);
  });

  it('costs the same at its end as at its beginning', async () => {
    const [first, deep] = [
      await explain((client) => pageOfProducts(client, query(), [site.id])),
      await explain((client) => pageOfProducts(client, query({}, DEEP), [site.id])),
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
    const plan = await explain((client) => pageOfProducts(client, query(filters, cursor), siteIds));
    expect(plan.nodes.filter((node) => /Seq Scan|Bitmap/.test(node))).toEqual([]);
    expect(plan.indexes).toHaveLength(1);
    expect(plan.mostRows).toBeLessThanOrEqual(siteIds.length * (LIMIT + 1));
    expect(plan.buffers).toBeLessThan(300);
  });
});

it('an erasure finds its rows by an index', async () => {
  const plan = await explain((client) => eraseProductsOfSite(client as never, site.id, 1_000));
  expect(plan.nodes.filter((node) => node === 'Seq Scan')).toEqual([]);
  expect(plan.mostRows).toBeLessThanOrEqual(1_000);
});
