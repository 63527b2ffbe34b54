import { isLongerThan, UUID_PATTERN } from '@truetally/contracts/validation';
import { type FieldErrors, type Result, UUID_IN_ANY_CASE } from '@truetally/kernel';
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
export const idFilter = parameter({ type: 'string', pattern: UUID_PATTERN }, (value) =>
  UUID_IN_ANY_CASE.test(value) ? undefined : 'must be a UUID',
);

/** Any text that could be a name or an id of at most so many characters. No stored one has U+0000, and Postgres cannot compare it. */
export const textUpTo = (characters: number): QueryParameter =>
  parameter({ type: 'string', minLength: 1, maxLength: characters, pattern: '^[^\\u0000]*$' }, (value) =>
    value !== '' && !isLongerThan(value, characters) && !value.includes('\0')
      ? undefined
      : `must be a non-empty string of at most ${characters} characters`,
  );

export const textFilter = textUpTo(255);

export const oneOfFilter = (allowed: readonly string[]): QueryParameter =>
  parameter({ type: 'string', enum: allowed }, (value) =>
    allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`,
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
