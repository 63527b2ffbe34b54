import { randomUUID } from 'node:crypto';
import type { ProductResource, SiteResource } from '@truetally/contracts/management';
import type { Page, ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { CommandWork, WrittenReply } from '@truetally/resource';
import type { ManagementReplicas } from './management-replicas.js';
import { createProduct } from '../products/create-product.js';
import { deleteProduct, listProducts } from '../products/products.consumer.js';
import { putProducts } from '../products/put-products.js';
import { readProduct } from '../products/read-product.js';
import { updateProduct } from '../products/update-product.js';

/** The catalogue's commands and queries, executed by both replicas. */
export interface Catalogue {
  create(site: SiteResource, fields: object): Promise<Reply<unknown>>;
  put(site: SiteResource, products: readonly object[], correlationId?: string): Promise<Reply<unknown>>;
  update(site: SiteResource, id: string, body: object): Promise<Reply<unknown>>;
  remove(site: SiteResource, id: string): Promise<Reply<unknown>>;
  read(site: SiteResource, id: string): Promise<Reply<unknown>>;
  /** All pages of the workspace's products. */
  list(site: SiteResource, filters: Readonly<Record<string, string>>): Promise<readonly ProductResource[]>;
  /** Number of deadlocks that Postgres has resolved in this database. */
  deadlocks(): Promise<string | undefined>;
}

export function openCatalogue(replicas: ManagementReplicas): Catalogue {
  const send = async (
    work: CommandWork,
    { workspace_id }: SiteResource,
    part: Partial<ResourceCommand>,
    correlationId: string = randomUUID(),
  ): Promise<Reply<unknown>> => {
    const command = { ...NOTHING, ...part, workspace_id };
    const reply = await replicas.next().command(command, correlationId, work);
    return 'ok' in reply ? { ok: reply.ok.data } : reply;
  };
  const ask = (workspace_id: string, part: Partial<ResourceQuery>): ResourceQuery => ({
    ...{ workspace_id, actor: null, params: {}, filters: {}, limit: 50, cursor: null },
    ...part,
  });
  return {
    create: (site, fields) => send(createProduct, site, { body: { site_id: site.id, ...fields } }),
    put: (site, products, id) => send(putProducts, site, { body: { site_id: site.id, products } }, id),
    update: (site, id, body) => send(updateProduct, site, { params: { id }, body }),
    remove: (site, id) => send(deleteProduct, site, { params: { id } }),
    read: async (site, id) =>
      parsed(await replicas.next().query(ask(site.workspace_id, { params: { id } }), readProduct)),
    list: async ({ workspace_id }, filters) => {
      const items: ProductResource[] = [];
      let cursor: string | null = null;
      do {
        const query = ask(workspace_id, { filters, cursor });
        const page: Reply<Page<ProductResource>> = parsed(await replicas.next().query(query, listProducts));
        if (!('ok' in page)) throw new Error(JSON.stringify(page));
        items.push(...page.ok.items);
        cursor = page.ok.next_cursor;
      } while (cursor !== null);
      return items;
    },
    deadlocks: async () => {
      const { rows } = await replicas.owner.query<{ deadlocks: string }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      );
      return rows[0]?.deadlocks;
    },
  };
}

const NOTHING = { actor: null, params: {}, version: null, idempotency: null, body: null };

function parsed<T>(reply: WrittenReply): Reply<T> {
  return typeof reply === 'string' ? (JSON.parse(reply) as Reply<T>) : reply;
}
