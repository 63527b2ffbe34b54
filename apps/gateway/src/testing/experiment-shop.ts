import { createHash, randomUUID } from 'node:crypto';
import type {
  AssignmentResource,
  ExperimentResource,
  ExperimentResults,
  Variant,
} from '@truetally/contracts/experiments';
import type { CampaignResource, SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, uniqueName } from '@truetally/testing';
import type { GatewayAddresses, NewSite, Product } from '@truetally/testing-product';
import { conversionsOf, line } from './conversions.js';
import { Merchant } from './merchant.js';
import { ORIGIN, touch } from './touch-page.js';

const PATH = 'partner-experiments';
const OVERLAY = { type: 'overlay', status: 'active', content: { layout: 'banner', title: 'Welcome' } };
const CHATBOT = {
  type: 'chatbot',
  status: 'active',
  content: { greeting: 'Hello', answers: [{ keywords: ['size'], text: 'It runs small.' }] },
};
const SHELF = {
  type: 'recommendation',
  status: 'active',
  content: { strategy: 'popular', placement: 'cart', count: 3 },
};
const CONTENT = { overlay: OVERLAY, chatbot: CHATBOT, recommendation: SHELF };

export interface Shown {
  readonly items: readonly { readonly campaign_id: string; readonly in_experiment?: true }[];
}

/**
 * A merchant's site on which partner experiments run: everything over HTTP, as its owner, its backend and its
 * pages.
 */
export class ExperimentShop {
  private constructor(
    readonly product: Product,
    readonly merchant: Merchant,
    readonly site: SiteResource,
    readonly key: string,
    readonly token: string,
  ) {}

  static async open(product: Product, settings: NewSite = {}, owner?: Merchant): Promise<ExperimentShop> {
    const merchant = owner ?? (await Merchant.join(product));
    const body = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN], ...settings };
    const site = dataOf(await merchant.post<SiteResource>('sites', body));
    const { key } = await product.createApiKey(site);
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site.id },
      headers: { origin: ORIGIN },
    });
    return new ExperimentShop(product, merchant, site, key, dataOf(issued).token);
  }

  async campaign(kind: keyof typeof CONTENT = 'overlay', changes: object = {}): Promise<string> {
    const body = { site_id: this.site.id, name: uniqueName('campaign'), ...CONTENT[kind], ...changes };
    return dataOf(await this.merchant.post<CampaignResource>('campaigns', body)).id;
  }

  body(campaignIds: readonly string[], changes: object = {}): object {
    return {
      site_id: this.site.id,
      name: 'Welcome banner',
      surface: 'overlay',
      campaign_ids: campaignIds,
      minimum_detectable_effect: 0.2,
      baseline_rate: 0.1,
      ...changes,
    };
  }

  async draft(changes: object = {}, campaignIds?: readonly string[]): Promise<ExperimentResource> {
    const ids = campaignIds ?? [await this.campaign()];
    return dataOf(await this.merchant.post<ExperimentResource>(PATH, this.body(ids, changes)));
  }

  async running(changes: object = {}, campaignIds?: readonly string[]): Promise<ExperimentResource> {
    return dataOf(await this.act((await this.draft(changes, campaignIds)).id, 'start'));
  }

  act(experimentId: string, action: string): Promise<Answer<ExperimentResource>> {
    return this.merchant.post(`${PATH}/${experimentId}/${action}`, null);
  }

  touch(sessionId: string, changes: object = {}): Promise<Answer<unknown>> {
    return this.touchAll([{ session_id: sessionId, ...changes }]);
  }

  /** Records touches that differ from the usual one: at most twenty. */
  touchAll(changes: readonly object[]): Promise<Answer<unknown>> {
    const occurred_at = new Date().toISOString();
    const touches = changes.map((one) => touch({ occurred_at, ...one }));
    return this.page('partner-attribution/touches', { touches });
  }

  assign(
    sessionId: string,
    { gateway, headers = {}, ...more }: AssignOptions = {},
  ): Promise<Answer<{ readonly assignments: readonly AssignmentResource[] }>> {
    const body = { session_id: sessionId, ...more };
    return this.page(`${PATH}/assignments`, body, headers, gateway);
  }

  /** A session from a partner, with its arm: its touch makes it eligible within 2 s. */
  async assigned(sessionId: string, more: AssignOptions = {}): Promise<AssignmentResource> {
    await this.touch(sessionId);
    return eventually(async () => (await this.assign(sessionId, more)).body.data?.assignments.at(0), {
      message: `an assignment of ${sessionId}`,
    });
  }

  shown(
    surface: 'overlays' | 'chatbots',
    sessionId: string | undefined,
    gateway: GatewayAddresses = this.product.gateway,
  ): Promise<Answer<Shown>> {
    const query = sessionId === undefined ? '' : `?session_id=${encodeURIComponent(sessionId)}`;
    return request(`${gateway.baseUrl}/public/${surface}${query}`, { headers: this.pageHeaders() });
  }

  convert(envelope: object): Promise<Answer<unknown>> {
    return request(`${this.product.baseUrl}/partner-attribution/conversions`, {
      json: envelope,
      headers: { 'x-api-key': this.key },
    });
  }

  rule(changes: object): Promise<Answer<unknown>> {
    return request(`${this.product.baseUrl}/partner-attribution/commission-rules`, {
      json: { website_id: this.site.id, effective_from: '2025-01-01T00:00:00Z', ...changes },
      headers: { 'x-api-key': this.key },
    });
  }

  results(experimentId: string): Promise<Answer<ExperimentResults>> {
    return this.merchant.get(`${PATH}/${experimentId}/results`);
  }

  /** Waits for the expected results. */
  resultsWhen(
    experimentId: string,
    isReached: (results: ExperimentResults) => boolean,
  ): Promise<ExperimentResults> {
    return eventually(
      async () => {
        const { data } = (await this.results(experimentId)).body;
        return data !== undefined && isReached(data) ? data : undefined;
      },
      { message: 'the results' },
    );
  }

  private page<T>(
    path: string,
    json: object,
    headers: Readonly<Record<string, string>> = {},
    gateway: GatewayAddresses = this.product.gateway,
  ): Promise<Answer<T>> {
    return request(`${gateway.baseUrl}/${path}`, { json, headers: { ...this.pageHeaders(), ...headers } });
  }

  private pageHeaders(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.token}`, origin: ORIGIN };
  }
}

export interface AssignOptions {
  readonly gateway?: GatewayAddresses;
  readonly headers?: Readonly<Record<string, string>>;
  readonly campaign_id?: string;
  readonly experiment_ids?: readonly string[];
  readonly touch_ids?: readonly string[];
}

/** Further fields of an order; `cost` is that of the article. */
type OrderChanges = Readonly<Record<string, unknown>> & { readonly cost?: number };

/** Orders of one site, with one line at one price each; amounts are in EUR by default. */
export function ordersOf(shop: ExperimentShop) {
  const { simplePurchase, adjustment, cancellation } = conversionsOf(shop.site.id);
  return {
    /** @param cost of the article, which leads to an exact margin */
    purchase: (orderId: string, price: number, { cost, ...changes }: OrderChanges = {}) => {
      const amounts = { unit_price: price, subtotal: price, commissionable_amount: price };
      const exact =
        cost === undefined
          ? {}
          : {
              lines: [line('line-1', { ...amounts, item_cost: cost })],
              margin: { amount: price - cost, basis: 'exact', source: 'erp' },
            };
      return simplePurchase(orderId, price, { occurred_at: new Date().toISOString(), ...exact, ...changes });
    },
    adjustment: (orderId: string, delta: number, changes: object = {}) =>
      adjustment(orderId, 1, {
        occurred_at: later(1),
        revenue_delta: delta,
        commissionable_delta: delta,
        ...changes,
      }),
    cancellation: (orderId: string, remaining: number) =>
      cancellation(orderId, 1, { occurred_at: later(2), reversed_revenue: remaining }),
  };
}

/** Later events of an order have later times. */
function later(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

/** The arm by the recipe of docs/experiments/assignment.md, if the session takes part. */
export function armByRecipe({ salt, allocation }: ExperimentResource, sessionId: string): Variant {
  const digest = createHash('sha256').update(`${salt}:arm:${sessionId}`, 'utf8').digest();
  return digest.readUIntBE(0, 6) / 2 ** 48 < allocation.control ? 'control' : 'treatment';
}

/** A session id with this arm by the recipe. */
export function sessionIn(arm: Variant, experiment: ExperimentResource): string {
  for (;;) {
    const sessionId = randomUUID();
    if (armByRecipe(experiment, sessionId) === arm) return sessionId;
  }
}

export function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`${status}: ${text}`);
  return body.data;
}
