import { type CompiledClass, compileClass, type CompiledField, type DtoClass } from './compile-fields.js';
import type { ValidatorOptions } from './compile-validator.js';
import { DROPPED_NAMES } from './dropped-names.js';
import type { Formats, JsonSchema } from './rules.js';

/** A DTO class for other programs: the API document, generated clients. */
export interface ClassSchema {
  /** The class itself in JSON Schema 2020-12; the classes inside it are under `$defs` by name. */
  readonly schema: JsonSchema;
  /** The exact meaning of its `format`s. */
  readonly formats: Formats;
}

/** Our extension of JSON Schema: the member's text is unique among the items. */
export const DISTINCT_BY = 'x-distinct-by';

/**
 * The decorators of a DTO class as JSON Schema. It accepts exactly what `compileValidator` accepts, with one
 * exception: a schema cannot count decimals, so that numbers with more than 40 are left to the validator.
 */
export function compileSchema(dto: DtoClass<object>, options: ValidatorOptions = {}): ClassSchema {
  const { unknownFields = 'ignored' } = options;
  const compilation: Compilation = {
    prefix: '#/$defs/',
    definitions: {},
    formats: {},
    isStrictInside: unknownFields === 'refused-everywhere',
    namesJudges: false,
  };
  const schema = objectSchema(compileClass(dto), unknownFields !== 'ignored', compilation);
  return { schema: { ...schema, $defs: compilation.definitions }, formats: compilation.formats };
}

/** A page of a list whose items are of the class (interface page, section 1). */
export function compilePageSchema(dto: DtoClass<object>, options: ValidatorOptions = {}): ClassSchema {
  const { schema, formats } = compileSchema(dto, options);
  const { $defs, ...item } = schema;
  const page = {
    type: 'object',
    properties: {
      items: { type: 'array', items: { $ref: `#/$defs/${dto.name}` } },
      next_cursor: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['items', 'next_cursor'],
    additionalProperties: false,
    $defs: { ...($defs as object), [dto.name]: item },
  };
  return { schema: page, formats };
}

/** The results for one class so far. */
export interface Compilation {
  /** Prefix of references: the path of the definitions. */
  readonly prefix: string;
  readonly definitions: Record<string, JsonSchema>;
  readonly formats: Record<string, Formats[string]>;
  readonly isStrictInside: boolean;
  /**
   * Whether items that are validated elsewhere have the schema of their class: clients do not send invalid
   * items on purpose.
   */
  readonly namesJudges: boolean;
}

/** The schema of one class; the classes inside it are added to the definitions. */
export function objectSchema(
  { fields }: CompiledClass,
  isStrict: boolean,
  compilation: Compilation,
): JsonSchema {
  const required = fields
    .filter(({ isOptional, isOmittable }) => !isOptional && !isOmittable)
    .map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, compilation)])),
    ...(required.length > 0 && { required }),
    ...kindsOf(fields, compilation),
    ...(isStrict && { additionalProperties: false, patternProperties: { [DROPPED]: {} } }),
  };
}

/** Members of these names are dropped without an error. */
const DROPPED = `^(${[...DROPPED_NAMES].join('|')})$`;

export function fieldSchema(field: CompiledField, compilation: Compilation): JsonSchema {
  const { rules, itemRule, nested, distinctBy } = field;
  const nestedItems = field.nestedItems ?? (compilation.namesJudges ? field.judgedBy : undefined);
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

/**
 * The class of an object is selected by the field beside it, of which a class has one; without a known kind, there is none. One kind
 * after another, because of rules in `allOf` openapi-generator makes types that it does not find.
 */
function kindsOf(fields: readonly CompiledField[], compilation: Compilation): JsonSchema {
  const field = fields.find(({ alternatives }) => alternatives !== undefined);
  if (field?.alternatives === undefined) return {};
  const { kindField, byKind } = field.alternatives;
  return [...byKind].reduceRight<JsonSchema>(
    (others, [kind, inner]) => ({
      if: { properties: { [kindField]: { const: kind } }, required: [kindField] },
      then: { properties: { [field.name]: orNull(field, reference(inner, compilation)) } },
      ...('if' in others && { else: others }),
    }),
    {},
  );
}

/**
 * Null counts as absent (interface page, section 1). It stands beside the schema's own alternatives: of a choice inside
 * a choice oapi-codegen makes a type that holds nothing.
 */
function orNull({ isOptional, isNullable }: CompiledField, schema: JsonSchema): JsonSchema {
  if (!isOptional && !isNullable) return schema;
  // What no value meets is no choice.
  if ('not' in schema) return { type: 'null' };
  const { anyOf, ...others } = schema;
  const choices = Array.isArray(anyOf) && Object.keys(others).length === 0 ? (anyOf as unknown[]) : [schema];
  return { anyOf: [...choices, { type: 'null' }] };
}

function reference(inner: CompiledClass, compilation: Compilation): JsonSchema {
  const { definitions, isStrictInside } = compilation;
  definitions[inner.name] ??= objectSchema(inner, isStrictInside, compilation);
  return { $ref: compilation.prefix + inner.name };
}
