import { expect } from '@jest/globals';
import type { ConversionAccepted, OrderResource } from '@truetally/contracts/attribution';
import type { Page as PageOf } from '@truetally/contracts/resource';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import type { NewSite, Product } from '@truetally/testing-product';
import { conversionsOf } from './conversions.js';
import { Page, touch } from './touch-page.js';

type Query = Readonly<Record<string, string>>;

/** A site with a key that records conversions and reads the ledger, and a page that sends touches. */
export class LedgerShop {
  readonly bodies: ReturnType<typeof conversionsOf>;

  private constructor(
    readonly product: Product,
    private readonly page: Page,
    readonly key: string,
  ) {
    this.bodies = conversionsOf(page.site.id);
  }

  /** @param settings of the site, and the workspace that it belongs to; default: one of its own */
  static async open(
    product: Product,
    settings: NewSite & { readonly workspace_id?: string } = {},
  ): Promise<LedgerShop> {
    const page = await Page.open(product, { partner: { providers: ['awin', 'cj'] }, ...settings });
    const scopes = ['partner_attribution:convert', 'partner_attribution:read'] as const;
    const { key } = await product.createApiKey(page.site, { scopes, hourly_limit: 100_000 });
    return new LedgerShop(product, page, key);
  }

  get site(): SiteResource {
    return this.page.site;
  }

  /** Records a conversion that must be accepted. */
  async record(json: unknown): Promise<ConversionAccepted> {
    const answer = await request<ConversionAccepted>(this.url('conversions'), {
      json,
      headers: this.headers,
    });
    expect([answer.status, answer.body.error?.details]).toEqual([201, undefined]);
    return dataOf(answer);
  }

  /** Adds a rule for all partners of a provider, or for one. */
  async rule(provider: string, rate: string, partner_id?: string): Promise<void> {
    const json = {
      website_id: this.site.id,
      provider,
      type: 'percentage',
      rate,
      effective_from: '2025-01-01T00:00:00Z',
      ...(partner_id === undefined ? {} : { partner_id }),
    };
    const answer = await request(this.url('commission-rules'), { json, headers: this.headers });
    expect(answer.status).toBe(201);
  }

  /** Sends a touch shortly before the purchases of `conversionsOf`. */
  async touch(touch_id: string, changes: object = {}): Promise<void> {
    const occurred_at = '2025-12-31T09:30:00.000Z';
    const { status } = await this.page.post([touch({ touch_id, occurred_at, ...changes })]);
    expect(status).toBeLessThan(300);
  }

  get<T>(path: string, query: Query = {}, headers = this.headers): Promise<Answer<T>> {
    const parameters = new URLSearchParams({ website_id: this.site.id, ...query });
    return request(`${this.url(path)}?${parameters.toString()}`, { headers });
  }

  async order(orderId: string): Promise<OrderResource> {
    return dataOf(await this.get<OrderResource>(`orders/${encodeURIComponent(orderId)}`));
  }

  /** Every item of a list, page by page; an endless list fails. */
  async items<T>(path: string, query: Query = {}): Promise<T[]> {
    const items: T[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const answer: Answer<PageOf<T>> = await this.get(path, {
        ...query,
        ...(cursor === null ? {} : { cursor }),
      });
      const page: PageOf<T> = dataOf(answer);
      expect(Object.keys(page).sort()).toEqual(['items', 'next_cursor']);
      items.push(...page.items);
      if (page.next_cursor === null) return items;
      cursor = page.next_cursor;
    }
    throw new Error(`The list of ${path} does not end.`);
  }

  private get headers(): Record<string, string> {
    return { 'x-api-key': this.key };
  }

  private url(path: string): string {
    return `${this.product.baseUrl}/partner-attribution/${path}`;
  }
}

const MOST_PAGES = 1_000;

function dataOf<T>({ status, body }: Answer<T>): T {
  expect([status, body.error]).toEqual([status < 300 ? status : 200, undefined]);
  if (body.data === undefined) throw new Error('A success has data.');
  return body.data;
}
