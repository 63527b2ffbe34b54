import { randomUUID } from 'node:crypto';
import { type TouchVerdict } from '@truetally/contracts/attribution';
import { type SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import { type GatewayAddresses, type NewSite, type Product } from '@truetally/testing-product';
import { queryProduct } from './query-product.js';

/** A touch as a page sends it. */
export const BASE_TOUCH = {
  schema_version: 1,
  touch_id: 'touch-1',
  provider: 'awin',
  direction: 'inbound',
  provider_click_id: 'click-1',
  partner_id: 'partner-1',
  landing_path: '/shoes',
  occurred_at: '2026-01-31T09:30:00.000Z',
  provenance: 'browser_sdk',
  session_id: 'session-1',
};

export const ORIGIN = 'https://shop.example';

export interface Recorded {
  readonly touches: readonly TouchVerdict[];
}

export type SentTouch = Readonly<Record<string, unknown>>;

/** A touch that nobody has sent yet. */
export function touch(changes: object = {}): SentTouch {
  return { ...BASE_TOUCH, touch_id: randomUUID(), ...changes };
}

export function idOf(one: SentTouch): string {
  return String(one['touch_id']);
}

/** A page of a site, with its runtime token. */
export class Page {
  private constructor(
    readonly product: Product,
    readonly site: SiteResource,
    readonly token: string,
  ) {}

  static async open(product: Product, settings: NewSite = {}): Promise<Page> {
    const site = await product.createSite({ allowed_origins: [ORIGIN], ...settings });
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site.id },
      headers: { origin: ORIGIN },
    });
    return new Page(product, site, String(issued.body.data?.token));
  }

  post(touches: unknown, gateway: GatewayAddresses = this.product.gateway): Promise<Answer<Recorded>> {
    return request(`${gateway.baseUrl}/partner-attribution/touches`, {
      json: { touches },
      headers: { authorization: `Bearer ${this.token}`, origin: ORIGIN },
    });
  }
}

/** The stored rows of these touches, with their sealed values. */
export function storedTouches(
  product: Product,
  touches: readonly SentTouch[],
): Promise<Record<string, unknown>[]> {
  return queryProduct(
    product,
    'attribution-ledger',
    `select t.*, c.key_id, c.sealed from touches t left join click_values c on c.touch_row_id = t.id
     where touch_id = any ($1) order by touch_id`,
    [touches.map(idOf)],
  );
}
