import { type CompiledClass, compileClass, type CompiledField, type DtoClass } from './compile-fields.js';
import type { ValidatorOptions } from './compile-validator.js';
import { DROPPED_NAMES } from './dropped-names.js';
import type { Formats, JsonSchema } from './rules.js';

/** What a DTO class says, for programs that are not ours: the API document, generated clients. */
export interface ClassSchema {
  /** The class itself, JSON Schema 2020-12; the classes inside it stand under `$defs` by their names. */
  readonly schema: JsonSchema;
  /** What its `format`s mean exactly. */
  readonly formats: Formats;
}

/** Not JSON Schema's own: no two items of the list have the same text in this member. */
export const DISTINCT_BY = 'x-distinct-by';

/**
 * The decorators of a DTO class in JSON Schema. It accepts what `compileValidator` finds no violation in; only numbers of
 * more than 40 decimals, which a schema cannot count, are left to the validator.
 */
export function compileSchema(dto: DtoClass<object>, options: ValidatorOptions = {}): ClassSchema {
  const { unknownFields = 'ignored' } = options;
  const compilation: Compilation = {
    definitions: {},
    formats: {},
    isStrictInside: unknownFields === 'refused-everywhere',
  };
  const schema = objectSchema(compileClass(dto), unknownFields !== 'ignored', compilation);
  return { schema: { ...schema, $defs: compilation.definitions }, formats: compilation.formats };
}

/** What was found so far of one class. */
interface Compilation {
  readonly definitions: Record<string, JsonSchema>;
  readonly formats: Record<string, Formats[string]>;
  readonly isStrictInside: boolean;
}

function objectSchema({ fields }: CompiledClass, isStrict: boolean, compilation: Compilation): JsonSchema {
  const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
  const kinds = fields.flatMap((field) => kindsOf(field, compilation));
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, compilation)])),
    ...(required.length > 0 && { required }),
    ...(kinds.length > 0 && { allOf: kinds }),
    ...(isStrict && { additionalProperties: false, patternProperties: { [DROPPED]: true } }),
  };
}

/** Members of these names are neither kept nor refused. */
const DROPPED = `^(${[...DROPPED_NAMES].join('|')})$`;

function fieldSchema(field: CompiledField, compilation: Compilation): JsonSchema {
  const { rules, itemRule, nested, nestedItems, distinctBy } = field;
  for (const rule of [...rules, ...(itemRule === undefined ? [] : [itemRule])]) {
    Object.assign(compilation.formats, rule.formats);
  }
  const items = nestedItems === undefined ? itemRule?.schema : reference(nestedItems, compilation);
  const [first = {}, ...others] = rules.map(({ schema }) => schema);
  const schema = {
    ...(nested === undefined ? first : reference(nested, compilation)),
    ...(others.length > 0 && { allOf: others }),
    ...(items !== undefined && { items }),
    ...(distinctBy !== undefined && { [DISTINCT_BY]: distinctBy }),
  };
  return orNull(field, schema);
}

/** An object that is of the class which the field beside it names; of no class where that names none. */
function kindsOf(field: CompiledField, compilation: Compilation): readonly JsonSchema[] {
  const { name, alternatives } = field;
  if (alternatives === undefined) return [];
  const { kindField, byKind } = alternatives;
  return [...byKind].map(([kind, inner]) => ({
    if: { properties: { [kindField]: { const: kind } }, required: [kindField] },
    then: { properties: { [name]: orNull(field, reference(inner, compilation)) } },
  }));
}

/** Null counts as absent (interface page, section 1). */
function orNull({ isOptional }: CompiledField, schema: JsonSchema): JsonSchema {
  return isOptional ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function reference(inner: CompiledClass, compilation: Compilation): JsonSchema {
  const { definitions, isStrictInside } = compilation;
  definitions[inner.name] ??= objectSchema(inner, isStrictInside, compilation);
  return { $ref: `#/$defs/${inner.name}` };
}
