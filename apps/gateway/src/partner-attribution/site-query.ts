import { type FieldErrors, fail, type Result, succeed } from '@truetally/kernel';

/** What a read of one site's things asks for; the id in lower case, as sites are named everywhere. */
export interface SiteQuery {
  readonly siteId: string;
}

/** The same for a page of them (interface page, section 1). */
export interface SitePage extends SiteQuery {
  /** 1–200. */
  readonly limit: number;
  /** `next_cursor` of the page before; what it means is the service's. */
  readonly cursor: string | null;
}

export const SITE_QUERY = ['website_id'] as const;
export const SITE_PAGE_QUERY = [...SITE_QUERY, 'limit', 'cursor'] as const;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_CURSOR_CHARACTERS = 512;
const WHOLE_NUMBER = /^\d{1,9}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readSiteQuery(query: URLSearchParams | undefined): Result<SiteQuery, FieldErrors> {
  const errors = new Map<string, string[]>();
  const siteId = readSiteId(query, errors);
  return errors.size === 0 ? succeed({ siteId }) : fail(Object.fromEntries(errors));
}

export function readSitePage(query: URLSearchParams | undefined): Result<SitePage, FieldErrors> {
  const errors = new Map<string, string[]>();
  const siteId = readSiteId(query, errors);
  const limit = single(query, 'limit', errors) ?? String(DEFAULT_LIMIT);
  const cursor = single(query, 'cursor', errors) ?? null;
  if (!WHOLE_NUMBER.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT) {
    errors.set('limit', [`must be a whole number from 1 to ${MAX_LIMIT}`]);
  }
  if (cursor !== null && (cursor === '' || cursor.length > MAX_CURSOR_CHARACTERS)) {
    errors.set('cursor', ['must be the next_cursor of a page']);
  }
  return errors.size === 0
    ? succeed({ siteId, limit: Number(limit), cursor })
    : fail(Object.fromEntries(errors));
}

function readSiteId(query: URLSearchParams | undefined, errors: Map<string, string[]>): string {
  const siteId = single(query, 'website_id', errors);
  if (siteId === undefined) errors.set('website_id', ['is required']);
  else if (!UUID.test(siteId)) errors.set('website_id', ['must be a UUID']);
  return (siteId ?? '').toLowerCase();
}

/** The parameter's one value: of two, nobody could say which is meant. */
function single(
  query: URLSearchParams | undefined,
  name: string,
  errors: Map<string, string[]>,
): string | undefined {
  const values = query?.getAll(name) ?? [];
  if (values.length > 1) errors.set(name, ['must be given once']);
  return values[0];
}
