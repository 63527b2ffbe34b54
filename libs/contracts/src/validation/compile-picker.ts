import { fail, isRawNumber, type Result, succeed } from '@truetally/kernel';
import { type CompiledClass, compileClass, type CompiledField, type DtoClass } from './compile-fields.js';
import { isJsonObject } from './shape.js';

/** Copies what a class knows of a value; never throws. The error names fields, never their values. */
export type Picker<T extends object> = (value: unknown) => Result<T, string>;

/**
 * Whether every field must be there. Answers to clients are read leniently: a gateway may be newer than the service
 * that wrote the answer.
 */
export type Completeness = 'complete' | 'lenient';

/**
 * Compiles the decorators of a DTO class into a reader of answers: it keeps the class's fields at every depth, in the
 * order in which they were written, and drops all others, so that nothing else in a reply reaches a client. Kinds of
 * JSON values are checked; rules of values belong to the service that answers.
 */
export function compilePicker<T extends object>(dto: DtoClass<T>, completeness: Completeness): Picker<T> {
  let plan: Plan | undefined;
  return (value) => {
    // Compiled at its first use: a process uses few of all classes.
    plan ??= planOf(compileClass(dto));
    if (!isJsonObject(value)) return fail('not an object');
    const reading: Reading = { faults: [], isComplete: completeness === 'complete' };
    const picked = pick(plan, value, '', reading);
    const { faults } = reading;
    return faults.length === 0 ? succeed(picked as T) : fail(`unreadable: ${faults.join(', ')}`);
  };
}

interface Plan {
  readonly fields: ReadonlyMap<string, PlannedField>;
  readonly required: readonly string[];
}

interface PlannedField {
  readonly mayBeNull: boolean;
  /** The JSON Schema's `type`; undefined where there are several. */
  readonly type: unknown;
  readonly nested: Plan | undefined;
  readonly nestedItems: Plan | undefined;
  readonly kindField: string | undefined;
  readonly byKind: ReadonlyMap<unknown, Plan>;
}

interface Reading {
  readonly faults: string[];
  readonly isComplete: boolean;
}

type Members = Readonly<Record<string, unknown>>;

function planOf({ fields }: CompiledClass): Plan {
  const required = fields.filter(({ isOptional, isOmittable }) => !isOptional && !isOmittable);
  return {
    fields: new Map(fields.map((field) => [field.name, fieldPlanOf(field)])),
    required: required.map(({ name }) => name),
  };
}

function fieldPlanOf(field: CompiledField): PlannedField {
  const { nested, nestedItems, alternatives, rules, isOptional, isNullable } = field;
  const kinds = [...(alternatives?.byKind ?? [])].map(([kind, type]) => [kind, planOf(type)] as const);
  return {
    mayBeNull: isOptional || isNullable,
    type: rules.map(({ schema }) => schema['type']).find((type) => type !== undefined),
    nested: nested === undefined ? undefined : planOf(nested),
    nestedItems: nestedItems === undefined ? undefined : planOf(nestedItems),
    kindField: alternatives?.kindField,
    byKind: new Map(kinds),
  };
}

function pick(plan: Plan, object: Members, prefix: string, reading: Reading): Members {
  const picked: Record<string, unknown> = {};
  // Objects of JSON.parse inherit no enumerable name, and this loop allocates nothing.
  for (const name in object) {
    const field = plan.fields.get(name);
    const value = object[name];
    if (field === undefined || value === undefined) continue;
    const kept = pickValue(field, value, object, { path: prefix + name, reading });
    if (kept !== undefined) picked[name] = kept;
  }
  if (reading.isComplete) {
    for (const name of plan.required) if (object[name] === undefined) reading.faults.push(prefix + name);
  }
  return picked;
}

interface Place {
  readonly path: string;
  readonly reading: Reading;
}

function pickValue(field: PlannedField, value: unknown, within: Members, { path, reading }: Place): unknown {
  if (value === null) {
    if (!field.mayBeNull && reading.isComplete) reading.faults.push(path);
    return null;
  }
  if (!isOfType(value, field.type)) {
    reading.faults.push(path);
    return undefined;
  }
  const inner = field.kindField === undefined ? field.nested : field.byKind.get(within[field.kindField]);
  if (inner !== undefined) return pick(inner, value as Members, `${path}.`, reading);
  // Of a kind that is not known here: nobody can say which of its fields are for clients.
  if (field.kindField !== undefined) return undefined;
  if (field.nestedItems === undefined) return value;
  return pickItems(field.nestedItems, value as readonly unknown[], path, reading);
}

function pickItems(
  plan: Plan,
  items: readonly unknown[],
  path: string,
  reading: Reading,
): readonly unknown[] {
  return items.map((item, index) => {
    if (isJsonObject(item)) return pick(plan, item, `${path}.${index}.`, reading);
    reading.faults.push(`${path}.${index}`);
    return item;
  });
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'integer':
    case 'number':
      return typeof value === 'number' || isRawNumber(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return true;
  }
}
