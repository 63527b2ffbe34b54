import { isLongerThan, matching, oneOf, UUID, UUID_FORM } from '@truetally/contracts/validation';
import type { FieldErrors, Result } from '@truetally/kernel';
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
