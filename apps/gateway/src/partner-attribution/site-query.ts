import type { FieldErrors, Result } from '@truetally/kernel';
import { idFilter } from '../http/page-query.js';
import {
  needed,
  type PageBounds,
  pageParameters,
  type QueryParameters,
  QueryReader,
} from '../http/query-reader.js';

/** The query of a read of one site's data; the id in lower case, the canonical form. */
export interface SiteQuery {
  readonly siteId: string;
}

/** The same for a page (interface page, section 1). */
export type SitePage = SiteQuery & PageBounds;

const siteIdParameter = needed(idFilter);

export const SITE_PAGE_QUERY: QueryParameters = { website_id: siteIdParameter, ...pageParameters() };

/** A page of a list. */
export function readSitePage(query: URLSearchParams | undefined): Result<SitePage, FieldErrors> {
  const reader = new QueryReader(query);
  return reader.result({ siteId: readSiteId(reader), ...reader.page() });
}

export function readSiteId(reader: QueryReader): string {
  const siteId = reader.required('website_id', siteIdParameter);
  return siteId.toLowerCase();
}
