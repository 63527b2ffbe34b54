import { isLongerThan } from '@truetally/contracts/validation';
import type { FieldErrors, Result } from '@truetally/kernel';
import { type ParameterRule, QueryReader } from '../http/query-reader.js';
import { PageUrl } from '../campaigns/page-url.js';
import type { Visit } from '../campaigns/targeting.js';

export const VISIT_QUERY = ['session_id', 'page_url', 'language', 'device_type'] as const;

/** The limit in an event (interface page, section 4). */
const SESSION_ID = atMost(128);
const PAGE_URL = atMost(2_048);
const OTHER = atMost(256);

/** What a page states about its visitor besides: the session, for a running experiment. */
export interface VisitOfSession extends Visit {
  readonly sessionId: string | undefined;
}

/** What a page states about itself. All of it is optional; empty means absent. */
export function readVisit(query: URLSearchParams | undefined): Result<VisitOfSession, FieldErrors> {
  const reader = new QueryReader(query);
  const said = (name: string, rule: ParameterRule): string | undefined =>
    reader.optional(name, rule) || undefined;
  const pageUrl = said('page_url', PAGE_URL);
  const sessionId = said('session_id', SESSION_ID);
  return reader.result({
    sessionId,
    pageUrl: pageUrl === undefined ? undefined : new PageUrl(pageUrl),
    language: said('language', OTHER)?.toLowerCase(),
    deviceType: said('device_type', OTHER)?.toLowerCase(),
  });
}

function atMost(max: number): ParameterRule {
  return (value) => (isLongerThan(value, max) ? `must be at most ${max} characters` : undefined);
}
