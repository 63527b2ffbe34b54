import type { Scope } from '@truetally/contracts/credentials';
import type { SiteResource } from '@truetally/contracts/management';
import { request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { Merchant } from './merchant.js';
import { StreamReader } from './stream-reader.js';

export const LIVE_SCOPES: readonly Scope[] = ['events:write', 'analytics:read'];
const OK = 200;
const CREATED = 201;

export interface Asking {
  /** Default: the shop's key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly gateway?: number;
  readonly isReading?: boolean;
  readonly of?: SiteResource;
}

/** A shop whose events are read as they come. */
export class LiveShop {
  private readonly readers: StreamReader[] = [];

  private constructor(
    readonly product: Product,
    readonly owner: Merchant,
    readonly site: SiteResource,
    readonly key: string,
  ) {}

  static async open(product: Product): Promise<LiveShop> {
    const owner = await Merchant.join(product);
    const site = await siteOf(owner);
    const { key } = await product.createApiKey(site, { scopes: LIVE_SCOPES });
    return new LiveShop(product, owner, site, key);
  }

  /** Another site of the same owner, and a key of it. */
  async anotherSite(): Promise<{ readonly site: SiteResource; readonly key: string }> {
    const site = await siteOf(this.owner);
    return { site, key: (await this.product.createApiKey(site, { scopes: LIVE_SCOPES })).key };
  }

  /** @returns the ids of the events, in their order */
  async send(fields: readonly object[]): Promise<readonly string[]> {
    const context = { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' };
    const events = fields.map((one) => ({
      event_type: 'page_view',
      session_id: 'session-1',
      context,
      ...one,
    }));
    const answer = await request<{ results: readonly { event_id: string }[] }>(
      `${this.product.baseUrl}/events/batch`,
      { headers: { 'x-api-key': this.key }, json: { events } },
    );
    if (answer.status !== CREATED) throw new Error(answer.text);
    return (answer.body.data?.results ?? []).map(({ event_id }) => event_id);
  }

  /** Resolves with the answer's head, also of a refusal. */
  async ask({ headers, query = '', gateway = 0, isReading = true, of = this.site }: Asking = {}) {
    const baseUrl = this.product.gateways[gateway]?.baseUrl ?? '';
    const reader = await StreamReader.open(
      `${baseUrl}/analytics/events?site_id=${of.id}${query}`,
      headers ?? { 'x-api-key': this.key },
      { isReading },
    );
    this.readers.push(reader);
    return reader;
  }

  /** Resolves when the stream has begun. */
  async opened(asking: Asking = {}): Promise<StreamReader> {
    const reader = await this.ask(asking);
    if (reader.status !== OK) throw new Error(`A stream was refused with ${reader.status}`);
    await reader.hasOpened();
    return reader;
  }

  leaveAll(): void {
    for (const reader of this.readers.splice(0)) reader.leave();
  }
}

/** What a member's request has. */
export function memberHeaders({ token, workspaceId }: Pick<Merchant, 'token' | 'workspaceId'>) {
  return { authorization: `Bearer ${token}`, 'x-workspace-id': workspaceId };
}

async function siteOf(merchant: Merchant): Promise<SiteResource> {
  const created = await merchant.post<SiteResource>('sites', {
    name: 'Shop',
    domain: 'shop.example',
    allowed_origins: ['https://shop.example'],
  });
  if (created.body.data === undefined) throw new Error(created.text);
  return created.body.data;
}
