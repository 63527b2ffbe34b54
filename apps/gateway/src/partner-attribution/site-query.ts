import { type FieldErrors, type Result, UUID_IN_ANY_CASE } from '@truetally/kernel';
import { type PageBounds, QueryReader } from '../http/query-reader.js';

/** The query of a read of one site's data; the id in lower case, the canonical form. */
export interface SiteQuery {
  readonly siteId: string;
}

/** The same for a page (interface page, section 1). */
export type SitePage = SiteQuery & PageBounds;

export const SITE_PAGE_QUERY = ['website_id', 'limit', 'cursor'] as const;

/** A page of a list. */
export function readSitePage(query: URLSearchParams | undefined): Result<SitePage, FieldErrors> {
  const reader = new QueryReader(query);
  return reader.result({ siteId: readSiteId(reader), ...reader.page() });
}

export function readSiteId(reader: QueryReader): string {
  const siteId = reader.required('website_id', (value) =>
    UUID_IN_ANY_CASE.test(value) ? undefined : 'must be a UUID',
  );
  return siteId.toLowerCase();
}
