import type { SiteResource } from '@truetally/contracts/management';
import { uniqueName } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';

export const SHOP_ORIGIN = 'https://shop.example';

/** A workspace with a shop. Gateways may not know them yet. */
export interface Merchant {
  /** The subject of the owner's ID tokens. */
  readonly sub: string;
  readonly site: SiteResource;
}

export async function openMerchant({ asks }: Pick<Product, 'asks'>): Promise<Merchant> {
  const sub = uniqueName('owner');
  const workspace = await asks.createWorkspace({ name: 'Merchant', owner_sub: sub });
  const site = await asks.createSite({
    workspace_id: workspace.id,
    name: 'Shop',
    domain: 'shop.example',
    allowed_origins: [SHOP_ORIGIN],
  });
  return { sub, site };
}
