import type { PageUrl, UrlPart } from './page-url.js';

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
