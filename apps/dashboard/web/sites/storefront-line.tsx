import type { SiteResource } from '@truetally/node';
import { storefrontLine } from '../domain/storefront-line.js';
import { Copyable } from '../elements/copyable.js';
import { usePage } from '../session/page-context.js';

/** What a shop's pages need. */
export function StorefrontLine({ site }: { readonly site: SiteResource }) {
  const { apiBaseUrl } = usePage();
  return (
    <>
      <p>
        It sends page views, and what your shop tracks, from these origins: {site.allowed_origins.join(', ')}.
        Where your pages’ policy allows no inline script, the guide to the browser SDK has a tag for them.
      </p>
      <Copyable name="the line" text={storefrontLine(apiBaseUrl, site.id)} />
    </>
  );
}
