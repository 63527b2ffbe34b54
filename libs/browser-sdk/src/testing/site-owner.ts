import { eventually, request, uniqueName } from '@truetally/testing';
import { type Product, untilMemberIsKnown } from '@truetally/testing-product';

interface OwnedSite {
  readonly id: string;
  readonly workspace_id: string;
}

/** A member of a site's workspace, who launches what its pages show. */
export class SiteOwner {
  private constructor(
    private readonly product: Product,
    private readonly site: OwnedSite,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly origin: string,
  ) {}

  /** @param origin of the site's pages */
  static async of(product: Product, site: OwnedSite, origin: string): Promise<SiteOwner> {
    const sub = uniqueName('admin');
    await product.asks.addMember({ workspace_id: site.workspace_id, sub, role: 'admin' });
    const token = await product.idToken({ sub });
    await untilMemberIsKnown(product.baseUrl, token, site.id);
    return new SiteOwner(product, site, { authorization: `Bearer ${token}` }, origin);
  }

  /**
   * Returns when pages are told of it: a gateway learns of a campaign a moment after the answer.
   * @returns the id of an active campaign
   */
  async launch(type: 'overlay' | 'chatbot' | 'recommendation', content: object): Promise<string> {
    const id = await this.post('campaigns', { type, name: uniqueName(type), status: 'active', content });
    const path = type === 'recommendation' ? `recommendations?campaign_id=${id}` : `public/${type}s`;
    await this.untilTold(path, `"campaign_id":"${id}"`);
    return id;
  }

  /** Puts products into the shop. */
  async offer(products: readonly object[]): Promise<void> {
    const json = { site_id: this.site.id, products };
    const url = `${this.product.baseUrl}/products/batch`;
    const { body, text } = await request(url, { method: 'PUT', json, headers: this.headers });
    if (body.data === undefined) throw new Error(text);
  }

  /** Starts an experiment, in which every session is in one arm; returns when pages are told of it. */
  async measure(
    campaignId: string,
    arm: 'control' | 'treatment',
    surface: 'overlay' | 'recommendation' = 'overlay',
  ): Promise<void> {
    const id = await this.post('partner-experiments', {
      name: uniqueName('experiment'),
      surface,
      campaign_ids: [campaignId],
      minimum_detectable_effect: 0.2,
      baseline_rate: 0.1,
      allocation: arm === 'control' ? { control: 1, treatment: 0 } : { control: 0, treatment: 1 },
    });
    await this.post(`partner-experiments/${id}/start`, {});
    const path = surface === 'overlay' ? 'public/overlays' : `recommendations?campaign_id=${campaignId}`;
    await this.untilTold(path, '"in_experiment":true');
  }

  /** Until a page's request is answered with the text. */
  async untilTold(path: string, told: string): Promise<void> {
    const { baseUrl } = this.product;
    const { origin } = this;
    const json = { site_id: this.site.id };
    const { body } = await request<{ token: string }>(`${baseUrl}/runtime/tokens`, {
      json,
      headers: { origin },
    });
    const headers = { authorization: `Bearer ${body.data?.token}`, origin };
    await eventually(async () => (await request(`${baseUrl}/${path}`, { headers })).text.includes(told));
  }

  /** What the service has recorded, by the listing that members read. */
  async touches(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const url = `${this.product.baseUrl}/partner-attribution/touches?website_id=${this.site.id}`;
    const { body, text } = await request<{ items: Record<string, unknown>[] }>(url, {
      headers: this.headers,
    });
    if (body.data === undefined) throw new Error(text);
    return body.data.items;
  }

  private async post(path: string, fields: object): Promise<string> {
    const json = path.endsWith('/start') ? null : { site_id: this.site.id, ...fields };
    const { body, text } = await request<{ id: string }>(`${this.product.baseUrl}/${path}`, {
      method: 'POST',
      json,
      headers: this.headers,
    });
    if (body.data === undefined) throw new Error(text);
    return body.data.id;
  }
}
