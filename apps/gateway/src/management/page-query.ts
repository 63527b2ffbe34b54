import { fail, type FieldErrors, type Result, succeed } from '@truetally/kernel';

/** Which page of which part of a list is asked for (interface page, section 1). */
export interface PageQuery {
  readonly filters: Readonly<Record<string, string>>;
  /** 1–200. */
  readonly limit: number;
  readonly cursor: string | null;
}

/** Of the parameter's value: undefined when it holds, otherwise what it demands. */
export type FilterRule = (value: string) => string | undefined;
export type Filters = Readonly<Record<string, FilterRule>>;

export const PAGE_PARAMETERS = ['limit', 'cursor'] as const;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_CURSOR_CHARACTERS = 512;
const WHOLE_NUMBER = /^\d{1,9}$/;

/** Reads the page's bounds and the filters that a list knows; every broken rule at once. */
export function readPageQuery(
  query: URLSearchParams | undefined,
  known: Filters,
): Result<PageQuery, FieldErrors> {
  const errors = new Map<string, string[]>();
  const single = (name: string): string | undefined => {
    const values = query?.getAll(name) ?? [];
    // Of two, nobody could say which is meant.
    if (values.length > 1) errors.set(name, ['must be given once']);
    return values[0];
  };
  const limit = single('limit') ?? String(DEFAULT_LIMIT);
  const cursor = single('cursor') ?? null;
  if (!WHOLE_NUMBER.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT) {
    errors.set('limit', [`must be a whole number from 1 to ${MAX_LIMIT}`]);
  }
  if (cursor !== null && (cursor === '' || cursor.length > MAX_CURSOR_CHARACTERS)) {
    errors.set('cursor', ['must be the next_cursor of a page']);
  }
  const filters = new Map<string, string>();
  for (const [name, rule] of Object.entries(known)) {
    const value = single(name);
    const message = value === undefined ? undefined : rule(value);
    if (message !== undefined) errors.set(name, [message]);
    else if (value !== undefined) filters.set(name, value);
  }
  if (errors.size > 0) return fail(Object.fromEntries(errors));
  return succeed({ filters: Object.fromEntries(filters), limit: Number(limit), cursor });
}
