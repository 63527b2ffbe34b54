import type { SiteResource, WorkflowResource } from '@truetally/contracts/management';
import type { DeliveryResource } from '@truetally/contracts/outbound';
import type { Page } from '@truetally/contracts/resource';
import { type Answer, request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { openShop, resourceOf } from './catalogue.js';
import { Merchant } from './merchant.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** A workflow with the secret that is shown once. */
export type CreatedWorkflow = WorkflowResource & { readonly action: { readonly secret?: string } };

/** A merchant of the shared product whose workflows call a receiver on this machine. */
export class WebhookMerchant {
  private constructor(
    readonly receiver: WebhookReceiver,
    readonly product: Product,
    readonly merchant: Merchant,
  ) {}

  static async open(): Promise<WebhookMerchant> {
    const receiver = await WebhookReceiver.open();
    const product = await sharedProduct();
    return new WebhookMerchant(receiver, product, await Merchant.join(product));
  }

  async openShop(): Promise<WebhookShop> {
    const site = await openShop(this.merchant);
    const { key } = await this.product.createApiKey(site);
    return new WebhookShop(this, site, key);
  }

  async close(): Promise<void> {
    this.receiver.close();
    await this.product.stop();
  }
}

/** One of the merchant's sites: its workflows, and its backend, whose events trigger them. */
export class WebhookShop {
  constructor(
    private readonly of: WebhookMerchant,
    readonly site: SiteResource,
    readonly key: string,
  ) {}

  /** To a path of the receiver. */
  post(path: string, changes: object = {}): Promise<Answer<CreatedWorkflow>> {
    return this.of.merchant.post<CreatedWorkflow>('workflows', {
      site_id: this.site.id,
      name: path || 'Tell my CRM',
      trigger: { event_types: ['purchase'] },
      action: { type: 'webhook', url: `${this.of.receiver.url}/${path}` },
      ...changes,
    });
  }

  async create(path: string, changes: object = {}): Promise<CreatedWorkflow> {
    return resourceOf(await this.post(path, changes));
  }

  async deliveriesOf(
    { id }: Pick<WorkflowResource, 'id'>,
    query = '',
  ): Promise<Page<DeliveryResource>['items']> {
    const path = `workflows/${id}/deliveries${query}`;
    return resourceOf(await this.of.merchant.get<Page<DeliveryResource>>(path)).items;
  }

  track<T>(
    event: object,
    headers: Readonly<Record<string, string>> = { 'x-api-key': this.key },
  ): Promise<Answer<T>> {
    const context = { page_url: 'https://shop.example/thanks', user_agent: 'Mozilla/5.0' };
    return request<T>(`${this.of.product.baseUrl}/events/track`, {
      headers,
      json: { session_id: 'session-1', context, ...event },
    });
  }
}
