import { isLongerThan } from '@truetally/contracts/validation';
import type { FieldErrors, Result } from '@truetally/kernel';
import { parameter, type QueryParameter, QueryReader } from '../http/query-reader.js';
import { PageUrl } from '../campaigns/page-url.js';
import type { Visit } from '../campaigns/targeting.js';

/** Limits as in an event (interface page, section 4). */
export const VISIT_QUERY = {
  session_id: atMost(128),
  page_url: atMost(2_048),
  language: atMost(256),
  device_type: atMost(256),
};

/** What a page states about its visitor besides: the session, for a running experiment. */
export interface VisitOfSession extends Visit {
  readonly sessionId: string | undefined;
}

/** What a page states about itself. All of it is optional; empty means absent. */
export function readVisit(query: URLSearchParams | undefined): Result<VisitOfSession, FieldErrors> {
  const reader = new QueryReader(query);
  const said = (name: keyof typeof VISIT_QUERY): string | undefined =>
    reader.optional(name, VISIT_QUERY[name]) || undefined;
  const pageUrl = said('page_url');
  const sessionId = said('session_id');
  return reader.result({
    sessionId,
    pageUrl: pageUrl === undefined ? undefined : new PageUrl(pageUrl),
    language: said('language')?.toLowerCase(),
    deviceType: said('device_type')?.toLowerCase(),
  });
}

/** A text that may be empty. */
export function atMost(max: number): QueryParameter {
  return parameter({ type: 'string', maxLength: max }, (value) =>
    isLongerThan(value, max) ? `must be at most ${max} characters` : undefined,
  );
}
