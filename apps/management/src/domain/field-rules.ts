import { BODY_PATH, DROPPED_NAMES, isJsonObject } from '@truetally/contracts';
import {
  fail,
  type FieldErrors,
  isStorableText,
  parseInstant,
  type Result,
  succeed,
  toStorableText,
} from '@truetally/kernel';

/** Reads one value. What breaks a rule goes to `problems` under `path`, and then there is no value. */
export type Rule<T> = (value: unknown, path: string, problems: Problems) => T | undefined;

export interface Field<T> {
  readonly rule: Rule<T>;
  /** What an absent field counts as; a field without it has to be there. */
  readonly whenAbsent?: { readonly value: T };
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type ValueOf<F> = F extends Field<infer T> ? T : never;
export type Values<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

/** Further unknown fields teach the caller nothing, and names are the caller's text: bound what is echoed. */
const MAX_UNKNOWN_FIELDS_NAMED = 20;
const MAX_NAME_ECHOED_LENGTH = 64;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Field path to every rule that it breaks, in the order in which the rules were looked at. */
export class Problems {
  private readonly messages = new Map<string, string[]>();

  add(path: string, message: string): undefined {
    const known = this.messages.get(path);
    if (known === undefined) this.messages.set(path, [message]);
    else known.push(message);
  }

  get isEmpty(): boolean {
    return this.messages.size === 0;
  }

  toFieldErrors(): FieldErrors {
    return Object.fromEntries(this.messages);
  }
}

/** Reads a whole body: every broken rule at once, unknown fields among them; null counts as absent (section 1). */
export function readBody<F extends Fields>(body: unknown, fields: F): Result<Values<F>, FieldErrors> {
  const problems = new Problems();
  if (!isJsonObject(body)) return fail({ [BODY_PATH]: ['must be an object'] });
  reportUnknownFields(body, fields, problems);
  const values = readMembers(body, '', fields, problems);
  return problems.isEmpty ? succeed(values) : fail(problems.toFieldErrors());
}

export const required = <T>(rule: Rule<T>): Field<T> => ({ rule });
export const optional = <T>(rule: Rule<T>): Field<T | undefined> => ({
  rule,
  whenAbsent: { value: undefined },
});
export const withDefault = <T>(rule: Rule<T>, value: T): Field<T> => ({ rule, whenAbsent: { value } });

/** An object inside the body; its unknown members are ignored, as section 1 names top-level ones only. */
export function record<F extends Fields>(fields: F): Rule<Values<F>> {
  return (value, path, problems) => {
    if (!isJsonObject(value)) return problems.add(path, 'must be an object');
    return readMembers(value, `${path}.`, fields, problems);
  };
}

export function list<T>(item: Rule<T>, least: number, most: number): Rule<readonly T[]> {
  return (value, path, problems) => {
    const length = Array.isArray(value) ? value.length : -1;
    if (!Array.isArray(value) || length < least || length > most) {
      return problems.add(path, `must be an array of ${least} to ${most} items`);
    }
    const items = value.map((entry: unknown, index) => item(entry, `${path}.${index}`, problems));
    return [...new Set(items.filter((entry) => entry !== undefined))];
  };
}

/** Free text that says something; what Postgres or JSON cannot hold becomes U+FFFD (section 1). */
export function freeText(most: number): Rule<string> {
  return (value, path, problems) => {
    if (typeof value !== 'string' || value.trim() === '' || isLongerThan(value, most)) {
      return problems.add(path, `must be a non-empty string of at most ${most} characters`);
    }
    return toStorableText(value);
  };
}

/** A name that others gave: a replaced character would make it another one, so that it is refused (section 1). */
export function identifier(most: number): Rule<string> {
  return (value, path, problems) => {
    if (typeof value !== 'string' || value === '' || isLongerThan(value, most)) {
      return problems.add(path, `must be a non-empty string of at most ${most} characters`);
    }
    if (!isStorableText(value)) return problems.add(path, 'must not contain U+0000 or an unpaired surrogate');
    return value;
  };
}

/** Text of one exact form; `form` is the end of "must be …", `read` gives undefined for any other. */
export function textLike<T>(form: string, read: (text: string) => T | undefined): Rule<T> {
  return (value, path, problems) => {
    const accepted = typeof value === 'string' ? read(value) : undefined;
    return accepted ?? problems.add(path, `must be ${form}`);
  };
}

export function oneOf<T extends string>(members: readonly T[]): Rule<T> {
  return (value, path, problems) =>
    members.find((member) => member === value) ?? problems.add(path, `must be one of ${members.join(', ')}`);
}

export function integer(least: number, most: number): Rule<number> {
  return (value, path, problems) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    return problems.add(path, `must be a whole number from ${least} to ${most}`);
  };
}

export const flag: Rule<boolean> = (value, path, problems) =>
  typeof value === 'boolean' ? value : problems.add(path, 'must be true or false');

export const uuid: Rule<string> = textLike('a UUID', (value) =>
  UUID.test(value) ? value.toLowerCase() : undefined,
);

/** A time later than `nowMs`, in epoch milliseconds. */
export function instantAfter(nowMs: number): Rule<number> {
  return (value, path, problems) => {
    const instant = typeof value === 'string' ? parseInstant(value) : undefined;
    if (instant === undefined) return problems.add(path, 'must be an ISO 8601 date and time with an offset');
    return instant.epochMs > nowMs ? instant.epochMs : problems.add(path, 'must be in the future');
  };
}

function readMembers<F extends Fields>(
  source: Readonly<Record<string, unknown>>,
  prefix: string,
  fields: F,
  problems: Problems,
): Values<F> {
  const values = Object.entries(fields).map(([name, { rule, whenAbsent }]) => {
    const value = Object.hasOwn(source, name) ? source[name] : undefined;
    const path = `${prefix}${name}`;
    if (value !== undefined && value !== null) return [name, rule(value, path, problems)];
    return [name, whenAbsent === undefined ? problems.add(path, 'is required') : whenAbsent.value];
  });
  // The type says what holds when `problems` is empty, which is when the outermost reader hands the values out.
  return Object.fromEntries(values) as Values<F>;
}

function reportUnknownFields(body: object, fields: Fields, problems: Problems): void {
  const unknown = Object.keys(body).filter(
    (name) => !Object.hasOwn(fields, name) && !DROPPED_NAMES.has(name),
  );
  for (const name of unknown.slice(0, MAX_UNKNOWN_FIELDS_NAMED)) {
    problems.add(name.slice(0, MAX_NAME_ECHOED_LENGTH).toWellFormed(), 'is not a known field');
  }
}

/** In code points; counting stops past `most`, so that a megabyte of text costs no more than the limit. */
function isLongerThan(value: string, most: number): boolean {
  if (value.length <= most) return false;
  return value.length > 2 * most || Array.from(value).length > most;
}
