import { type Answer, eventually, request } from '@truetally/processes';
import type { LaunchedProduct } from '@truetally/testing-product';
import { openShop, type Shop } from '../shop.js';

const IMPORT_PATIENCE = { timeoutMs: 300_000, message: 'an import to end' };

/** What a client of a merchant has to know; plain data, for a thread of its own. */
export interface KnownTenant {
  readonly shop: Pick<Shop, 'apiKey' | 'owner' | 'siteId' | 'workspaceId'>;
  readonly baseUrl: string;
  readonly integrationId: string;
}

/** A merchant with a shop, an owner at the dashboard, and an integration with a network. */
export class Tenant {
  readonly shop: KnownTenant['shop'];
  readonly baseUrl: string;

  constructor(readonly known: KnownTenant) {
    this.shop = known.shop;
    this.baseUrl = known.baseUrl;
  }

  static async open(product: LaunchedProduct): Promise<Tenant> {
    const shop = await openShop(product, 1);
    const { baseUrl } = product;
    const made = await request<{ id: string }>(`${baseUrl}/integrations`, {
      headers: { ...shop.owner, 'x-workspace-id': shop.workspaceId },
      json: {
        site_id: shop.siteId,
        provider: 'awin',
        base_url: 'https://awin.invalid',
        credentials: { publisher_id: '4815', api_token: 'chaos' },
      },
    });
    if (made.body.data === undefined) throw new Error(`No integration: ${made.text}`);
    const { apiKey, owner, siteId, workspaceId } = shop;
    const known = { apiKey, owner, siteId, workspaceId };
    return new Tenant({ shop: known, baseUrl, integrationId: made.body.data.id });
  }

  /** As its owner. */
  ask<T>(
    path: string,
    options: { readonly method?: string; readonly json?: object } = {},
  ): Promise<Answer<T>> {
    const { owner, workspaceId } = this.shop;
    const headers = { ...owner, 'x-workspace-id': workspaceId };
    return request<T>(`${this.baseUrl}/${path}`, { ...options, headers });
  }

  /** As its backend. */
  send(path: string, json: object): Promise<Answer<unknown>> {
    return request(`${this.baseUrl}/${path}`, { headers: { 'x-api-key': this.shop.apiKey }, json });
  }

  get settlementsPath(): string {
    return `integrations/${this.known.integrationId}/settlements`;
  }

  /** Begins an import of these rows. */
  async beginImport(rows: readonly object[]): Promise<string | undefined> {
    const { body } = await this.ask<{ job_id: string }>(this.settlementsPath, {
      method: 'POST',
      json: { rows },
    });
    return body.data?.job_id;
  }

  /** Resolves when an import of these rows has ended. */
  async import(rows: readonly object[]): Promise<void> {
    const job = await this.beginImport(rows);
    if (job === undefined) throw new Error('An import was refused.');
    await eventually(async () => {
      const { body } = await this.ask<{ finished_at: string | null }>(`jobs/${job}`);
      return (body.data?.finished_at ?? null) !== null;
    }, IMPORT_PATIENCE);
  }

  /** Cancels what waits; resolves when what is under way has ended, too, unless it is a deletion. */
  async cancelJobs(): Promise<void> {
    await eventually(async () => {
      const pages = await Promise.all(
        ['queued', 'running'].map((state) =>
          this.ask<{ items: readonly Waiting[] }>(`jobs?state=${state}&limit=200`),
        ),
      );
      const left = pages.flatMap(({ body }) => body.data?.items ?? []).filter((job) => job.cancellable);
      for (const { job_id: id } of left) await this.ask(`jobs/${id}/cancel`, { method: 'POST' });
      return left.length === 0;
    }, IMPORT_PATIENCE);
  }
}

interface Waiting {
  readonly job_id: string;
  readonly cancellable: boolean;
}

/** A settlement of a day, in a currency. */
export function settlementOf(id: string, day: number, currency = 'EUR'): object {
  const at = new Date(Date.UTC(2024, 0, 1 + day, 12)).toISOString();
  return {
    provider_transaction_id: id,
    status: 'approved',
    commissionable_amount: '100',
    commission_amount: '5',
    currency,
    transaction_at: at,
    updated_at: at,
  };
}
