// Not from the index, which loads every check and with them libphonenumber-js and validator: 290 files that
// no service needs (docs/benchmarks.md). Both ways share one metadata storage.
import { IsOptional } from 'class-validator/cjs/decorator/common/IsOptional.js';
import { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
import { ValidateIf } from 'class-validator/cjs/decorator/common/ValidateIf.js';
import { ValidateNested } from 'class-validator/cjs/decorator/common/ValidateNested.js';
import * as answerRules from './answer-rules.js';
import {
  type ListLimits,
  type NumberLimit,
  type NumberRange,
  type Rule,
  type TextLimit,
  type WholeNumberLimits,
} from './rules.js';
import * as rules from './rules.js';

/** A decorator's entry in class-validator's metadata, read by `compileValidator`. */
export interface RuleConstraint {
  readonly rule: Rule;
  /** For a list: the rule of each item. */
  readonly itemRule?: Rule;
  /** For an object with a class of its own. */
  readonly nested?: () => new () => object;
  /** For a list of such objects. */
  readonly nestedItems?: () => new () => object;
  /** For a list whose items are validated elsewhere: the class that they are validated by. */
  readonly judgedBy?: () => new () => object;
  /** For a list of such objects: their member that must be unique. */
  readonly distinctBy?: string;
  /** For an object of several kinds: the field beside it that selects the kind, and the class of each. */
  readonly alternatives?: {
    readonly kindField: string;
    readonly byKind: Readonly<Record<string, () => new () => object>>;
  };
}

/** Any rule as a class-validator decorator, so that one DTO definition serves both. */
function Obeys(name: string, constraint: RuleConstraint): PropertyDecorator {
  const messageOf = (value: unknown): string | undefined =>
    constraint.rule(value) ?? firstItemMessage(constraint.itemRule, value);
  return ValidateBy({
    name,
    constraints: [constraint],
    validator: {
      validate: (value: unknown) => messageOf(value) === undefined,
      defaultMessage: (args) => messageOf(args?.value) ?? '',
    },
  });
}

function firstItemMessage(itemRule: Rule | undefined, value: unknown): string | undefined {
  if (itemRule === undefined || !Array.isArray(value)) return undefined;
  return value.map(itemRule).find((message) => message !== undefined);
}

/** Null counts as absent (interface page, section 1). */
export const Optional = (): PropertyDecorator => IsOptional();
/** Of an answer: the field is always present, and null without a value. */
export const OrNull = (): PropertyDecorator => ValidateIf(isNotNull);
export const isNotNull = (_: object, value: unknown): boolean => value !== null;
/** Of an answer: the field is absent without a value, and never null. */
export const OrAbsent = (): PropertyDecorator => ValidateIf(isNotAbsent);
export const isNotAbsent = (_: object, value: unknown): boolean => value !== undefined;
/** Of an answer: the field's only value. */
export const Always = (only: boolean | string): PropertyDecorator =>
  Obeys('always', { rule: answerRules.always(only) });
/** The field must be absent, or null, which counts as absent. */
export function Absent(): PropertyDecorator {
  const isNothing = Obeys('absent', { rule: answerRules.nothing });
  const isOptional = IsOptional();
  return (target, property) => {
    isNothing(target, property);
    isOptional(target, property);
  };
}
/** An object of any names, whose values obey the rule. */
export const MapOf = (rule: Rule): PropertyDecorator => Obeys('mapOf', { rule: answerRules.mapOf(rule) });
export const Text = (limit: TextLimit): PropertyDecorator => Obeys('text', { rule: rules.text(limit) });
export const NonEmptyText = (limit: TextLimit): PropertyDecorator =>
  Obeys('nonEmptyText', { rule: rules.nonEmptyText(limit) });
export const Name = (limit: TextLimit): PropertyDecorator => Obeys('name', { rule: rules.namingText(limit) });
/** A name that strangers read: no link, one line. */
export const PlainName = (limit: TextLimit): PropertyDecorator =>
  Obeys('plainName', { rule: rules.plainName(limit) });
export const Identifier = (limit: TextLimit): PropertyDecorator =>
  Obeys('identifier', { rule: rules.identifier(limit) });
export const HttpUrl = (limit: TextLimit): PropertyDecorator =>
  Obeys('httpUrl', { rule: rules.httpUrl(limit) });
/** A URL that pages render as a link. */
export const LinkUrl = (limit: TextLimit): PropertyDecorator =>
  Obeys('linkUrl', { rule: rules.linkUrl(limit) });
export const Timestamp = (): PropertyDecorator => Obeys('timestamp', { rule: rules.timestamp });
export const JsonObject = (): PropertyDecorator => Obeys('jsonObject', { rule: rules.jsonObject });
export const OneOf = (allowed: readonly string[]): PropertyDecorator =>
  Obeys('oneOf', { rule: rules.oneOf(allowed) });
export const FiniteNumber = (limit?: NumberLimit): PropertyDecorator =>
  Obeys('finiteNumber', { rule: rules.finiteNumber(limit) });
export const NumberWithin = (range: NumberRange): PropertyDecorator =>
  Obeys('numberWithin', { rule: rules.numberWithin(range) });
export const WholeNumber = (limits: WholeNumberLimits): PropertyDecorator =>
  Obeys('wholeNumber', { rule: rules.wholeNumber(limits) });
/** A text, a number, true or false, or a list of them; its further rules depend on other fields. */
export const ScalarOrList = (): PropertyDecorator => Obeys('scalarOrList', { rule: rules.scalarOrList });
export const Flag = (): PropertyDecorator => Obeys('flag', { rule: rules.flag });
export const Exactly = (number: number): PropertyDecorator =>
  Obeys('exactly', { rule: rules.exactly(number) });
/**
 * An exact decimal: an amount, a price, a quantity. Its decimals, sign and bounds are checked where the
 * currency is known.
 */
export const Decimal = (): PropertyDecorator => Obeys('decimal', { rule: rules.decimal });
export const Matching = (pattern: RegExp, form: string): PropertyDecorator =>
  Obeys('matching', { rule: rules.matching(pattern, form) });
/** Text that `read` accepts; it returns undefined for any other. */
export const Readable = (read: (text: string) => unknown, form: string, format: string): PropertyDecorator =>
  Obeys('readable', { rule: rules.readableText(read, form, format) });
export const ListOf = (itemRule: Rule, limits: ListLimits): PropertyDecorator =>
  Obeys('listOf', { rule: rules.list(limits), itemRule });
/**
 * A list whose items are validated one by one elsewhere, so that an invalid one does not stop the others.
 * @param judgedBy the class of an item that will be accepted
 */
export const ListOfAnything = (limits: ListLimits, judgedBy?: () => new () => object): PropertyDecorator =>
  Obeys('listOfAnything', { rule: rules.list(limits), ...(judgedBy !== undefined && { judgedBy }) });

/**
 * An object with a class of its own. When it is required and absent, its required fields are reported too.
 */
export function Nested(type: () => new () => object): PropertyDecorator {
  const isObject = Obeys('nested', { rule: rules.jsonObject, nested: type });
  const isValid = ValidateNested();
  return (target, property) => {
    isObject(target, property);
    isValid(target, property);
  };
}

/** An object whose class depends on the text of a field declared above it. */
export const NestedByKind = (
  kindField: string,
  byKind: Readonly<Record<string, () => new () => object>>,
): PropertyDecorator =>
  Obeys('nestedByKind', { rule: rules.jsonObject, alternatives: { kindField, byKind } });

/** A list of objects of one class, unique by `distinctBy`. */
export function NestedList(
  type: () => new () => object,
  { distinctBy, ...limits }: ListLimits & { readonly distinctBy?: string },
): PropertyDecorator {
  const isList = Obeys('nestedList', {
    rule: rules.list(limits),
    itemRule: rules.jsonObject,
    nestedItems: type,
    ...(distinctBy === undefined ? {} : { distinctBy }),
  });
  const isValid = ValidateNested({ each: true });
  return (target, property) => {
    isList(target, property);
    isValid(target, property);
  };
}
