import { randomUUID } from 'node:crypto';
import type { SiteResource } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { conversionsOf } from './conversions.js';
import { touch } from './touch-page.js';
import { queryProduct } from './query-product.js';
import type { Merchant } from './merchant.js';

export const ORIGIN = 'https://shop.example';
const EVENTS_PER_BATCH = 100;
const TOUCHES_PER_REQUEST = 20;
const REQUESTS_AT_ONCE = 8;
const CREATED = 201;

/** A site's contents, by kind. */
export interface Holdings {
  readonly events: number;
  /** What analytics has of the events, which it follows. */
  readonly followedEvents: number;
  readonly counters: number;
  readonly touches: number;
  readonly clickValues: number;
  readonly records: number;
  readonly apiKeys: number;
  readonly products: number;
  readonly campaigns: number;
  readonly integrations: number;
}

/** A merchant's site with a key of every scope, and the requested contents. */
export class FilledSite {
  private constructor(
    private readonly product: Product,
    readonly site: SiteResource,
    readonly apiKey: string,
    readonly runtimeToken: string,
  ) {}

  static async open(product: Product, merchant: Merchant): Promise<FilledSite> {
    const settings = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN] };
    const site = await merchant.post<SiteResource>('sites', { ...settings, runtime_hourly_limit: 1_000_000 });
    const resource = site.body.data as SiteResource;
    const { key } = await product.createApiKey(resource);
    const token = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: resource.id },
      headers: { origin: ORIGIN },
    });
    return new FilledSite(product, resource, key, String(token.body.data?.token));
  }

  async fill(events: number, touches: number, orders: number): Promise<void> {
    await inTurns(events / EVENTS_PER_BATCH, () => this.sendEvents());
    await inTurns(touches / TOUCHES_PER_REQUEST, () => this.sendTouches());
    await inTurns(orders, () => this.sendOrder());
    await eventually(async () => {
      const held = await this.holdings();
      return held.followedEvents === held.events;
    });
  }

  /** One of each kind of resource that a merchant creates for a site; returns where each is read. */
  async furnish(merchant: Merchant): Promise<readonly string[]> {
    const { id } = this.site;
    const credentials = { publisher_id: '1', api_token: 'token' };
    const content = { layout: 'modal', title: 'Hello' };
    const made = {
      products: { site_id: id, product_id: 'SKU-1', title: 'Cup' },
      campaigns: { site_id: id, type: 'overlay', name: 'Welcome', content },
      integrations: { site_id: id, provider: 'awin', credentials },
    };
    return Promise.all(
      Object.entries(made).map(async ([resource, body]) => {
        const answer = await merchant.post<{ id: string }>(resource, body);
        expectCreated(answer);
        return `${resource}/${String(answer.body.data?.id)}`;
      }),
    );
  }

  /** The current answer to a single event. */
  async trackEvent(baseUrl: string = this.product.baseUrl): Promise<number> {
    const headers = { 'x-api-key': this.apiKey };
    return (await request(`${baseUrl}/events/track`, { json: event(), headers })).status;
  }

  async recordTouch(): Promise<number> {
    return (await this.postTouches([touch()])).status;
  }

  async issueToken(): Promise<number> {
    return (await this.post('runtime/tokens', { site_id: this.site.id }, { origin: ORIGIN })).status;
  }

  async holdings(): Promise<Holdings> {
    const count = async (
      service: 'analytics' | 'attribution-ledger' | 'ingestion' | 'management',
      from: string,
    ): Promise<number> => {
      const [row] = await queryProduct<{ n: number }>(
        this.product,
        service,
        `select count(*)::integer as n from ${from} where site_id = $1`,
        [this.site.id],
      );
      return row?.n ?? -1;
    };
    return {
      events: await count('ingestion', 'events'),
      followedEvents: await count('analytics', 'events'),
      counters: await count('ingestion', 'event_counts'),
      touches: await count('attribution-ledger', 'touches'),
      clickValues: await count(
        'attribution-ledger',
        'click_values join touches on touches.id = click_values.touch_row_id',
      ),
      records: await count('attribution-ledger', 'records'),
      apiKeys: await count('management', 'api_keys'),
      products: await count('management', 'products'),
      campaigns: await count('management', 'campaigns'),
      integrations: await count('management', 'integrations'),
    };
  }

  private async sendEvents(): Promise<void> {
    const events = Array.from({ length: EVENTS_PER_BATCH }, event);
    expectCreated(await this.post('events/batch', { events }, { 'x-api-key': this.apiKey }));
  }

  private async sendTouches(): Promise<void> {
    expectCreated(await this.postTouches(Array.from({ length: TOUCHES_PER_REQUEST }, () => touch())));
  }

  private async sendOrder(): Promise<void> {
    const body = conversionsOf(this.site.id).simplePurchase(randomUUID(), '10.00');
    expectCreated(await this.post('partner-attribution/conversions', body, { 'x-api-key': this.apiKey }));
  }

  private postTouches(touches: readonly object[]) {
    const headers = { authorization: `Bearer ${this.runtimeToken}`, origin: ORIGIN };
    return this.post('partner-attribution/touches', { touches }, headers);
  }

  private post(path: string, json: object, headers: Readonly<Record<string, string>>) {
    return request(`${this.product.baseUrl}/${path}`, { json, headers });
  }
}

function event(): object {
  return {
    event_type: 'page_view',
    session_id: randomUUID(),
    client_event_id: randomUUID(),
    context: { page_url: `${ORIGIN}/`, user_agent: 'Mozilla/5.0' },
  };
}

function expectCreated({ status, text }: { readonly status: number; readonly text: string }): void {
  if (status !== CREATED) throw new Error(`The site could not be filled: ${status} ${text}`);
}

async function inTurns(times: number, send: () => Promise<void>): Promise<void> {
  let left = times;
  const sender = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await send();
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, sender));
}
