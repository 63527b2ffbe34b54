import type { SiteResource } from '@truetally/node';
import { Copyable } from '../elements/copyable.js';
import { usePage } from '../session/page-context.js';

/** What a shop's pages need. */
export function StorefrontLine({ site }: { readonly site: SiteResource }) {
  const { apiBaseUrl } = usePage();
  const script = new URL('/sdk/v1/truetally.js', apiBaseUrl).href;
  return (
    <>
      <p>
        It sends page views, and what your shop tracks, from these origins: {site.allowed_origins.join(', ')}.
      </p>
      <Copyable name="the line" text={`<script src="${script}" data-site-id="${site.id}"></script>`} />
    </>
  );
}
