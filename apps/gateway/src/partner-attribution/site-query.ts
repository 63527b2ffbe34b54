import type { SitePageQuery } from '@truetally/contracts/resource';
import { siteRefusal } from '../credentials/site-access.js';
import type { SiteDirectory } from '../credentials/site-directory.js';
import type { Exchange } from '../http/exchange.js';
import { idFilter } from '../http/page-query.js';
import {
  needed,
  pageParameters,
  type PageSizes,
  type QueryParameters,
  QueryReader,
} from '../http/query-reader.js';
import { refuse } from '../http/respond.js';

const siteIdParameter = needed(idFilter);

/** A page of what belongs to one site (interface page, section 1). */
export const SITE_PAGE_QUERY: QueryParameters = { website_id: siteIdParameter, ...pageParameters() };

/**
 * The asked page of a site of the caller's; its id in lower case, the canonical form.
 * @returns undefined when the request was refused and answered
 */
export function readSitePage(
  exchange: Exchange,
  sites: SiteDirectory,
  sizes?: PageSizes,
): SitePageQuery | undefined {
  const caller = exchange.callerWithLimit();
  const reader = new QueryReader(exchange.query);
  const site_id = reader.required('website_id', siteIdParameter).toLowerCase();
  const asked = reader.result({ site_id, ...reader.page(sizes) });
  if (!asked.ok) return void refuse(exchange, 'broken-rules', asked.error);
  const refusal = siteRefusal(caller, site_id, sites);
  return refusal === undefined ? asked.value : void refuse(exchange, refusal);
}
