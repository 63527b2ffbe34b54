import type { ProductResource, SiteProductFields } from '@truetally/contracts/management';

/** The merchant's fields of a product: the base of a change. */
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
