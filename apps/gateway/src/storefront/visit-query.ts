import { type Visit, visitOf } from '@truetally/contracts/targeting';
import { isLongerThan } from '@truetally/contracts/validation';
import type { FieldErrors, Result } from '@truetally/kernel';
import { parameter, type QueryParameter, QueryReader } from '../http/query-reader.js';

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
  return reader.result({
    sessionId: said('session_id'),
    ...visitOf({
      page_url: said('page_url'),
      language: said('language'),
      device_type: said('device_type'),
    }),
  });
}

/** A text that may be empty. */
export function atMost(max: number): QueryParameter {
  return parameter({ type: 'string', maxLength: max }, (value) =>
    isLongerThan(value, max) ? `must be at most ${max} characters` : undefined,
  );
}
