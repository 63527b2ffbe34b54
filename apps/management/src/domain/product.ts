import type { ProductResource, SiteProductFields } from '@truetally/contracts/management';

/** A product without what is not the merchant's to say: what a change begins with. */
export function productFields(product: ProductResource): SiteProductFields {
  return {
    site_id: product.site_id,
    product_id: product.product_id,
    title: product.title,
    url: product.url,
    image_url: product.image_url,
    price: product.price,
    currency: product.currency,
    availability: product.availability,
    attributes: product.attributes,
  };
}
