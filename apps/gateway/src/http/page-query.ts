import { CURRENCY_FORM } from '@truetally/contracts/management';
import { isLongerThan, matching, oneOf, textShapeOf, UUID, UUID_FORM } from '@truetally/contracts/validation';
import { type FieldErrors, minorDigitsOf, type Result } from '@truetally/kernel';
import {
  type PageBounds,
  pageParameters,
  parameter,
  type QueryParameter,
  type QueryParameters,
  QueryReader,
} from './query-reader.js';

/** The requested page and filters of a list (interface page, section 1). */
export interface PageQuery extends PageBounds {
  readonly filters: Readonly<Record<string, string>>;
}

export type Filters = QueryParameters;

const MAX_DATE_CHARACTERS = 40;

/** The id of a resource. */
export const idFilter: QueryParameter = matching(UUID, UUID_FORM);

/** Any text that could be a name or an id of at most so many characters. No stored one has U+0000, and Postgres cannot compare it. */
export const textUpTo = (characters: number): QueryParameter =>
  parameter({ type: 'string', minLength: 1, maxLength: characters, pattern: '^[^\\u0000]*$' }, (value) =>
    value !== '' && !isLongerThan(value, characters) && !value.includes('\0')
      ? undefined
      : `must be a non-empty string of at most ${characters} characters`,
  );

export const textFilter = textUpTo(255);

/** One of a list's words. */
export const oneOfFilter: (allowed: readonly string[]) => QueryParameter = oneOf;

/** Of a report: the service judges it, in the site's time zone. */
export const dateFilter = parameter(
  { type: 'string', minLength: 1, maxLength: MAX_DATE_CHARACTERS },
  (value) =>
    value.length > MAX_DATE_CHARACTERS || value === ''
      ? `must be a date such as 2026-03-01; got ${textShapeOf(value)}`
      : undefined,
);

export const currencyFilter = parameter({ type: 'string', pattern: '^[A-Z]{3}$' }, (value) =>
  minorDigitsOf(value) === undefined ? `must be ${CURRENCY_FORM}; got ${textShapeOf(value)}` : undefined,
);

export const PAGE_PARAMETERS = pageParameters();

/** Reads the page's bounds and the list's filters; reports every broken rule. */
export function readPageQuery(
  query: URLSearchParams | undefined,
  known: Filters,
): Result<PageQuery, FieldErrors> {
  const reader = new QueryReader(query);
  const page = reader.page();
  const filters = Object.entries(known).flatMap(([name, rule]) => {
    const value = rule.isRequired === true ? reader.required(name, rule) : reader.optional(name, rule);
    return value === undefined ? [] : [[name, value] as const];
  });
  return reader.result({ ...page, filters: Object.fromEntries(filters) });
}
