import type { SitePageQuery } from '@truetally/contracts/resource';
import { type FieldErrors, type Result, succeed } from '@truetally/kernel';
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

/** What concerns one site. */
export const SITE_QUERY: QueryParameters = { website_id: siteIdParameter };

/** The site's id in lower case; undefined when the request was refused and answered. */
export function readSite(exchange: Exchange, sites: SiteDirectory): string | undefined {
  const caller = exchange.callerWithLimit();
  const reader = new QueryReader(exchange.query);
  const asked = reader.result(reader.required('website_id', siteIdParameter).toLowerCase());
  if (!asked.ok) return void refuse(exchange, 'broken-rules', asked.error);
  const refusal = siteRefusal(caller, asked.value, sites);
  return refusal === undefined ? asked.value : void refuse(exchange, refusal);
}

/**
 * The asked page of a site of the caller's; its id in lower case, the canonical form.
 * @returns undefined when the request was refused and answered
 */
export function readSitePage(
  exchange: Exchange,
  sites: SiteDirectory,
  sizes?: PageSizes,
): SitePageQuery | undefined {
  return readSitePageWith(exchange, sites, () => succeed({}), sizes);
}

/** The same with further parameters, whose broken rules are reported together with those of the page. */
export function readSitePageWith<More extends object>(
  exchange: Exchange,
  sites: SiteDirectory,
  readMore: ReadMore<More>,
  sizes?: PageSizes,
): (SitePageQuery & More) | undefined {
  const caller = exchange.callerWithLimit();
  const reader = new QueryReader(exchange.query);
  const site_id = reader.required('website_id', siteIdParameter).toLowerCase();
  const page = reader.result({ site_id, ...reader.page(sizes) });
  const more = readMore(exchange.query, sites.find(site_id)?.timeZone ?? 'UTC');
  if (!page.ok || !more.ok) {
    const errors = { ...(page.ok ? {} : page.error), ...(more.ok ? {} : more.error) };
    return void refuse(exchange, 'broken-rules', errors);
  }
  const refusal = siteRefusal(caller, site_id, sites);
  return refusal === undefined ? { ...page.value, ...more.value } : void refuse(exchange, refusal);
}

/** @param timeZone of the site */
type ReadMore<More> = (query: URLSearchParams | undefined, timeZone: string) => Result<More, FieldErrors>;
