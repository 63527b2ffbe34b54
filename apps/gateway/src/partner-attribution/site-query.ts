import { type FieldErrors, type Result } from '@truetally/kernel';
import { type PageBounds, QueryReader } from '../http/query-reader.js';

/** What a read of one site's things asks for; the id in lower case, as sites are named everywhere. */
export interface SiteQuery {
  readonly siteId: string;
}

/** The same for a page of them (interface page, section 1). */
export type SitePage = SiteQuery & PageBounds;

export const SITE_PAGE_QUERY = ['website_id', 'limit', 'cursor'] as const;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A page of a list. */
export function readSitePage(query: URLSearchParams | undefined): Result<SitePage, FieldErrors> {
  const reader = new QueryReader(query);
  return reader.result({ siteId: readSiteId(reader), ...reader.page() });
}

export function readSiteId(reader: QueryReader): string {
  const siteId = reader.required('website_id', (value) => (UUID.test(value) ? undefined : 'must be a UUID'));
  return siteId.toLowerCase();
}
