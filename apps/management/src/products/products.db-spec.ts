import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProductBatchAnswer, ProductResource, SiteResource } from '@truetally/contracts/management';
import { inTransaction } from '@truetally/persistence';
import { accepted, ManagementReplicas } from '../testing/management-replicas.js';
import { SITE_ERASURES } from '../jobs/erasures.js';
import { type Catalogue, openCatalogue } from '../testing/catalogue.js';

let replicas: ManagementReplicas;
let catalogue: Catalogue;
let site: SiteResource;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
  catalogue = openCatalogue(replicas);
  site = await replicas.makeSite((await replicas.makeWorkspace()).id);
});

afterAll(() => replicas.stop());

const item = (productId: string, changes: object = {}): object => ({
  product_id: productId,
  title: `Product ${productId}`,
  ...changes,
});

describe('batches at the same time', () => {
  it('batches over the same products in opposite orders never deadlock, and one of them wins', async () => {
    const names = Array.from({ length: 200 }, (_, n) => `shared-${n}`);
    const deadlocks = await catalogue.deadlocks();
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, round) => {
        const order = round % 2 === 0 ? names : names.toReversed();
        return catalogue.put(
          site,
          order.map((name) => item(name, { title: `Round ${round}` })),
        );
      }),
    );
    const answers = replies.map((reply) => accepted<ProductBatchAnswer>(reply));
    expect(answers.reduce((sum, { created }) => sum + created, 0)).toBe(200);
    expect(answers.every(({ created, updated }) => created + updated === 200)).toBe(true);
    const { rows } = await replicas.owner.query<{ titles: string; least: number; most: number }>(
      `select count(distinct title) as titles, min(version) as least, max(version) as most
       from products where site_id = $1 and product_id like 'shared-%'`,
      [site.id],
    );
    // Each batch is stored completely or not at all, so that every row is from the last one.
    expect(rows[0]).toEqual({ titles: '1', least: 24, most: 24 });
    expect(await catalogue.deadlocks()).toBe(deadlocks);
  });

  it('batches and single changes of their products are carried out one after the other', async () => {
    const made = accepted<ProductResource>(await catalogue.create(site, item('busy')));
    const changes = Array.from({ length: 10 }, (_, n) => [
      catalogue.put(site, [item('aside'), item('busy', { title: `Batch ${n}` })]),
      catalogue.update(site, made.id, { title: `Patch ${n}` }),
    ]).flat();
    for (const reply of await Promise.all(changes)) expect(reply).toHaveProperty('ok');
    const product = accepted<ProductResource>(await catalogue.read(site, made.id));
    expect(product.version).toBe(21);
  });

  it('give one product its new product_id when several want it', async () => {
    const made = await Promise.all(
      [1, 2, 3, 4].map(async (n) =>
        accepted<ProductResource>(await catalogue.create(site, item(`was-${n}`))),
      ),
    );
    const replies = await Promise.all([
      ...made.map(({ id }) => catalogue.update(site, id, { product_id: 'wanted' })),
      catalogue.create(site, item('wanted')),
    ]);
    const taken = {
      error: { code: 'CONFLICT', details: { product_id: ['is already in use on this site'] } },
    };
    expect(replies.filter((reply) => 'ok' in reply)).toHaveLength(1);
    for (const reply of replies.filter((one) => 'error' in one)) expect(reply).toMatchObject(taken);
  });
});

describe('a redelivered batch', () => {
  it('gets the first answer again, and is one audit entry with the site', async () => {
    const id = randomUUID();
    const products = [item('redelivered-1'), item('redelivered-2')];
    const entries = () =>
      replicas.count('audit_log', `resource = 'catalogue' and resource_id = '${site.id}'`);
    const before = await entries();
    const replies = await Promise.all([1, 2, 3].map(() => catalogue.put(site, products, id)));
    for (const reply of replies) expect(reply).toEqual({ ok: { created: 2, updated: 0 } });
    expect(await entries()).toBe(before + 1);
  });

  it('a redelivered batch that changes nothing leaves no trace', async () => {
    const products = [item('redelivered-1'), item('redelivered-2')];
    const entries = await replicas.count('audit_log');
    expect(await catalogue.put(site, products)).toEqual({ ok: { created: 0, updated: 2 } });
    expect(await replicas.count('audit_log')).toBe(entries);
    expect(await replicas.count('products', `product_id like 'redelivered-%' and version = 1`)).toBe(2);
  });
});

describe('products of a deleted site', () => {
  it('products of a deleted site are nowhere at once, and are erased a bounded number at a time', async () => {
    const gone = await replicas.makeSite(site.workspace_id);
    await catalogue.put(
      gone,
      Array.from({ length: 25 }, (_, n) => item(`gone-${n}`)),
    );
    const [one] = (await catalogue.list(site, {})).filter(({ site_id }) => site_id === gone.id);
    await replicas.owner.query('update sites set deleted_at = now() where site_id = $1', [gone.id]);
    const missing = { error: { code: 'NOT_FOUND' } };
    expect(await catalogue.read(site, String(one?.id))).toMatchObject(missing);
    expect(await catalogue.update(site, String(one?.id), { title: 'x' })).toMatchObject(missing);
    expect(await catalogue.remove(site, String(one?.id))).toMatchObject(missing);
    expect(await catalogue.put(gone, [item('new')])).toMatchObject(missing);
    expect(await catalogue.create(gone, item('new'))).toMatchObject(missing);
    const listed = await catalogue.list(site, {});
    expect(listed.filter(({ site_id }) => site_id === gone.id)).toEqual([]);
    expect(listed.length).toBeGreaterThan(0);
    const kept = await replicas.count('products', `site_id = '${site.id}'`);
    const products = SITE_ERASURES.find(({ table }) => table === 'products');
    const erase = () =>
      inTransaction(replicas.pool, async (client) => (await products?.erase(client, gone.id, 10))?.rows);
    expect([await erase(), await erase(), await erase(), await erase()]).toEqual([10, 10, 5, 0]);
    expect(await replicas.count('products', `site_id = '${gone.id}'`)).toBe(0);
    expect(await replicas.count('products', `site_id = '${site.id}'`)).toBe(kept);
  });
});
