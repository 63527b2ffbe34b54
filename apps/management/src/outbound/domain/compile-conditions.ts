import type { ConditionScalar, WorkflowCondition, WorkflowRecord } from '@truetally/contracts/facts';
import { isRawNumber, numberOf, unreachable } from '@truetally/kernel';
import { EqualValues, isDecimal } from './equal-values.js';
import { searchFor } from './search-text.js';

/** Whether a fact meets the conditions of a workflow. */
export type Predicate = (fact: unknown) => boolean;

/** What every workflow without conditions meets. */
const ANYTHING: Predicate = () => true;

/**
 * Compiles validated conditions once: paths are split, alternatives are a set. A field that is absent or null meets
 * `exists` with false, and `ne`; nothing else (docs/decisions/workflows.md has the table).
 */
export function compileConditions({
  match,
  conditions,
}: Pick<WorkflowRecord, 'match' | 'conditions'>): Predicate {
  const [first, ...others] = conditions.map(compileCondition);
  if (first === undefined) return ANYTHING;
  const all = [first, ...others];
  return match === 'all'
    ? (fact) => all.every((holds) => holds(fact))
    : (fact) => all.some((holds) => holds(fact));
}

function compileCondition({ field, operator, value }: WorkflowCondition): Predicate {
  const path = field.split('.');
  const test = testOf(operator, value);
  return (fact) => test(valueAt(fact, path));
}

type Test = (given: unknown) => boolean;

function testOf(operator: WorkflowCondition['operator'], value: WorkflowCondition['value']): Test {
  switch (operator) {
    case 'exists':
      return (given) => (given !== undefined && given !== null) === (value !== false);
    case 'in':
      return oneOf(Array.isArray(value) ? value : [value as ConditionScalar]);
    case 'eq':
      return oneOf([value as ConditionScalar]);
    case 'ne': {
      const isEqual = oneOf([value as ConditionScalar]);
      return (given) => !isEqual(given);
    }
    case 'contains':
      return containing(value as ConditionScalar);
    case 'gt':
      return (given) => (compare(given, value) ?? 0) > 0;
    case 'gte':
      return (given) => (compare(given, value) ?? -1) >= 0;
    case 'lt':
      return (given) => (compare(given, value) ?? 0) < 0;
    case 'lte':
      return (given) => (compare(given, value) ?? 1) <= 0;
    default:
      return unreachable(operator);
  }
}

/** The member at a path: own members only, places in lists by their number. Undefined where there is none. */
function valueAt(fact: unknown, path: readonly string[]): unknown {
  let value = fact;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
    if (!Object.hasOwn(value, name)) return undefined;
    if (Array.isArray(value) && name === 'length') return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return plain(value);
}

/** Numbers that a double would change count as the nearest one. */
function plain(value: unknown): unknown {
  return isRawNumber(value) ? numberOf(value) : value;
}

function oneOf(values: readonly ConditionScalar[]): Test {
  const known = new EqualValues(values);
  return (given) => known.has(given);
}

/** The items of a list, which thousands of conditions may ask for: compared with each, they would hold the process for minutes. */
const itemsOf = new WeakMap<readonly unknown[], EqualValues>();

/** A text that holds another, or a list that holds an item. */
function containing(value: ConditionScalar): Test {
  const isIn = typeof value === 'string' ? searchFor(value) : undefined;
  return (given) => {
    if (!Array.isArray(given)) return typeof given === 'string' && isIn?.(given) === true;
    const items = itemsOf.get(given) ?? new EqualValues(given.map(plain));
    itemsOf.set(given, items);
    return items.has(value);
  };
}

/** Negative, zero or positive; undefined for values that have no order among each other. */
function compare(given: unknown, value: unknown): number | undefined {
  if (typeof given === 'number' && typeof value === 'number') return Math.sign(given - value);
  if (isDecimal(given) && isDecimal(value)) return compareDecimals(given, value);
  if (typeof given === 'string' && typeof value === 'string') return compareTexts(given, value);
  if (isDecimal(given) && typeof value === 'number') return compareDecimal(given, value);
  if (typeof given === 'number' && isDecimal(value)) return -compareDecimal(value, given);
  return undefined;
}

/** By code points, as ISO 8601 times of one form are in order. */
function compareTexts(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Exact: an amount of the ledger may have more digits than a double. */
function compareDecimal(given: string, value: number): number {
  const written = String(value);
  if (!isDecimal(written)) return Math.sign(Number(given) - value);
  return compareDecimals(given, written);
}

function compareDecimals(given: string, value: string): number {
  const decimals = Math.max(decimalsOf(given), decimalsOf(value));
  const [left, right] = [scaled(given, decimals), scaled(value, decimals)];
  return left === right ? 0 : left < right ? -1 : 1;
}

function decimalsOf(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0;
}

function scaled(decimal: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
