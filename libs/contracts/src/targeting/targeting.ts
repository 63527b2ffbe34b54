import { PageUrl, urlPart, type UrlPart } from './page-url.js';

/** The audience of a campaign (docs/decisions/campaigns.md). An empty list restricts nothing. */
export interface Targeting {
  readonly pageUrlContains: readonly UrlPart[];
  /** In lower case. */
  readonly languages: readonly string[];
  readonly deviceTypes: readonly string[];
}

/** What a page states about itself and its visitor. */
export interface Visit {
  readonly pageUrl: PageUrl | undefined;
  /** In lower case. */
  readonly language: string | undefined;
  /** In lower case. */
  readonly deviceType: string | undefined;
}

/** A campaign's `targeting` as it is stored (interface page, section 9). */
export interface StoredTargeting {
  readonly page_url_contains: readonly string[];
  readonly languages: readonly string[];
  readonly device_types: readonly string[];
}

/** Shared by all campaigns without targeting, which are most. */
const EVERYBODY: Targeting = { pageUrlContains: [], languages: [], deviceTypes: [] };

export function targetingOf({ page_url_contains, languages, device_types }: StoredTargeting): Targeting {
  if (page_url_contains.length + languages.length + device_types.length === 0) return EVERYBODY;
  return {
    pageUrlContains: page_url_contains.map(urlPart),
    languages: languages.map((language) => language.toLowerCase()),
    deviceTypes: device_types,
  };
}

/** What a page states, as the routes of storefronts name it; what is undefined or empty is not stated. */
export function visitOf(stated: {
  readonly page_url: string | undefined;
  readonly language: string | undefined;
  readonly device_type: string | undefined;
}): Visit {
  return {
    pageUrl: stated.page_url ? new PageUrl(stated.page_url) : undefined,
    language: stated.language?.toLowerCase() || undefined,
    deviceType: stated.device_type?.toLowerCase() || undefined,
  };
}

/** Each list that is not empty must match with one of its texts; absent values match none. */
export function isTargeted({ pageUrlContains, languages, deviceTypes }: Targeting, visit: Visit): boolean {
  return (
    holdsOne(deviceTypes, visit.deviceType, (type, actual) => type === actual) &&
    holdsOne(languages, visit.language, isLanguageIn) &&
    holdsOne(pageUrlContains, visit.pageUrl, (part, url) => url.holds(part))
  );
}

function holdsOne<Wanted, Actual>(
  wanted: readonly Wanted[],
  actual: Actual | undefined,
  holds: (one: Wanted, actual: Actual) => boolean,
): boolean {
  if (wanted.length === 0) return true;
  return actual !== undefined && wanted.some((one) => holds(one, actual));
}

/**
 * Basic filtering of RFC 4647: `de` matches `de` and `de-AT`, `de-AT` does not match `de`, and `de` does not
 * match `den`.
 */
function isLanguageIn(range: string, tag: string): boolean {
  return tag.startsWith(range) && (tag.length === range.length || tag[range.length] === '-');
}
