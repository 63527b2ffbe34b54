import { type JsonSchema, textShapeOf } from '@truetally/contracts/validation';
import { fail, type FieldErrors, type Result, succeed } from '@truetally/kernel';

/** The size and start of a page. */
export interface PageBounds {
  /** 1 to the list's most. */
  readonly limit: number;
  /** `next_cursor` of the previous page, whose format belongs to the service. */
  readonly cursor: string | null;
}

/** Checks the parameter's value: undefined when valid, otherwise the requirement. */
export type ParameterRule = (value: string) => string | undefined;

/** A parameter that a route declares. */
export interface QueryParameter extends ParameterRule {
  /** The same rule in JSON Schema. */
  readonly schema: JsonSchema;
  readonly isRequired?: boolean;
}

/** A route's parameters by name; any other is 400. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>;

export function parameter(schema: JsonSchema, rule: ParameterRule): QueryParameter {
  return Object.assign((value: string) => rule(value), { schema });
}

export function needed(rule: QueryParameter): QueryParameter {
  return Object.assign(parameter(rule.schema, rule), { isRequired: true });
}

export interface PageSizes {
  readonly usual: number;
  readonly most: number;
}

/** Interface page, section 1. */
const LIST_SIZES: PageSizes = { usual: 50, most: 200 };
const MAX_CURSOR_CHARACTERS = 512;
const WHOLE_NUMBER = /^\d{1,9}$/;

const cursorParameter = parameter(
  { type: 'string', minLength: 1, maxLength: MAX_CURSOR_CHARACTERS },
  (value) =>
    value === '' || value.length > MAX_CURSOR_CHARACTERS ? 'must be the next_cursor of a page' : undefined,
);

/** The parameters of a list. */
export function pageParameters({ usual, most }: PageSizes = LIST_SIZES) {
  return { limit: wholeNumber({ min: 1, max: most, usual }), cursor: cursorParameter };
}

/** @param usual what counts where none is given */
export function wholeNumber({ min, max, usual }: NumberBounds): QueryParameter {
  const schema = { type: 'integer', minimum: min, maximum: max };
  return parameter(usual === undefined ? schema : { ...schema, default: usual }, (value) =>
    WHOLE_NUMBER.test(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}; got ${textShapeOf(value)}`,
  );
}

interface NumberBounds {
  readonly min: number;
  readonly max: number;
  readonly usual?: number;
}

/** Reads the query parameters one by one, and collects every broken rule. */
export class QueryReader {
  private readonly errors = new Map<string, string[]>();

  constructor(private readonly query: URLSearchParams | undefined) {}

  /** The parameter's only value: two would be ambiguous. */
  optional(name: string, rule: ParameterRule): string | undefined {
    const values = this.query?.getAll(name) ?? [];
    const [value] = values;
    if (value === undefined) return undefined;
    const message = values.length > 1 ? 'must be given once' : rule(value);
    if (message !== undefined) this.errors.set(name, [message]);
    return value;
  }

  /** Empty when it is missing; the result reports it. */
  required(name: string, rule: ParameterRule): string {
    const value = this.optional(name, rule);
    if (value === undefined) this.errors.set(name, ['is required']);
    return value ?? '';
  }

  /** A rule over several parameters is broken: reported with the others. */
  refuse(name: string, message: string): void {
    this.errors.set(name, [...(this.errors.get(name) ?? []), message]);
  }

  page(sizes: PageSizes = LIST_SIZES): PageBounds {
    const rules = pageParameters(sizes);
    const limit = this.optional('limit', rules.limit);
    const cursor = this.optional('cursor', rules.cursor);
    return { limit: limit === undefined ? sizes.usual : Number(limit), cursor: cursor ?? null };
  }

  /** The read values, unless a parameter breaks a rule. */
  result<T>(read: T): Result<T, FieldErrors> {
    return this.errors.size === 0 ? succeed(read) : fail(Object.fromEntries(this.errors));
  }
}
