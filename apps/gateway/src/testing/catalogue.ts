import type { ProductResource, SiteResource } from '@truetally/contracts/management';
import type { Answer } from '@truetally/testing';
import type { Merchant } from './merchant.js';

export interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** A site of this merchant. */
export async function openShop(merchant: Merchant): Promise<SiteResource> {
  const created = await merchant.post<SiteResource>('sites', {
    name: 'Shop',
    domain: 'shop.example',
    allowed_origins: ['https://shop.example'],
  });
  return resourceOf(created);
}

/** The resource of an answer that must be a success. */
export function resourceOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined || status >= 300) throw new Error(`Refused: ${status} ${text}`);
  return body.data;
}

/** A product as in a feed. */
export function feedItem(productId: string, changes: object = {}) {
  return {
    product_id: productId,
    title: `Product ${productId}`,
    url: `https://shop.example/${productId}`,
    price: '12.50',
    currency: 'EUR',
    ...changes,
  };
}

/** All pages of a list, in order. */
export async function everyPage(merchant: Merchant, path: string): Promise<readonly ProductResource[]> {
  const items: ProductResource[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = resourceOf(await merchant.get<Listed<ProductResource>>(`${path}${more}`));
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}
