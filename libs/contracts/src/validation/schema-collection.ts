import { type CompiledClass, compileClass, type DtoClass } from './compile-fields.js';
import { type Compilation, fieldSchema, objectSchema } from './compile-schema.js';
import type { JsonSchema } from './rules.js';

/** The schemas of many classes in one document, each once, by the name of its class. */
export class SchemaCollection {
  private readonly known = new Map<string, DtoClass<object>>();
  private readonly compilation: Compilation;

  /** @param prefix of references: `#/components/schemas/` */
  constructor(prefix: string) {
    this.compilation = { prefix, definitions: {}, formats: {}, isStrictInside: false, namesJudges: true };
  }

  get schemas(): Readonly<Record<string, JsonSchema>> {
    const { definitions } = this.compilation;
    const names = Object.keys(definitions).toSorted();
    return Object.fromEntries(names.map((name) => [name, definitions[name] ?? {}]));
  }

  /** @throws Error when another class has the name */
  refer(dto: DtoClass<object>, isStrict = false): JsonSchema {
    const compiled = compileClass(dto);
    return this.add(compiled.name, compiled, () => objectSchema(compiled, isStrict, this.compilation));
  }

  /** One of several classes, under a name of its own: of a choice without one generators of clients make up a name. */
  referToOneOf(name: string, choices: readonly JsonSchema[]): JsonSchema {
    this.compilation.definitions[name] = { oneOf: choices };
    return { $ref: this.compilation.prefix + name };
  }

  /** A JSON merge patch (RFC 7396) of a class: any of its fields; null clears. Lists are replaced. */
  referToPatch(dto: DtoClass<object>): JsonSchema {
    return this.patch(compileClass(dto), true);
  }

  private patch(compiled: CompiledClass, isStrict: boolean): JsonSchema {
    const members = compiled.fields.map((field) => {
      const schema =
        field.nested === undefined
          ? fieldSchema({ ...field, isOptional: true }, this.compilation)
          : { anyOf: [this.patch(field.nested, false), { type: 'null' }] };
      return [field.name, schema] as const;
    });
    return this.add(`${compiled.name}Patch`, compiled, () => ({
      type: 'object',
      properties: Object.fromEntries(members),
      ...(isStrict && { additionalProperties: false }),
    }));
  }

  private add(name: string, { type, fields }: CompiledClass, schemaOf: () => JsonSchema): JsonSchema {
    this.claim(name, type);
    for (const field of fields) this.claimInside(field);
    this.compilation.definitions[name] ??= schemaOf();
    return { $ref: this.compilation.prefix + name };
  }

  /** Classes inside are defined by name, too. */
  private claimInside({
    nested,
    nestedItems,
    judgedBy,
    alternatives,
  }: CompiledClass['fields'][number]): void {
    const kinds = alternatives === undefined ? [] : [...alternatives.byKind.values()];
    for (const inner of [nested, nestedItems, judgedBy, ...kinds]) {
      if (inner === undefined) continue;
      this.claim(inner.name, inner.type);
      for (const field of inner.fields) this.claimInside(field);
    }
  }

  private claim(name: string, type: DtoClass<object>): void {
    const known = this.known.get(name) ?? type;
    if (known !== type) throw new Error(`Two classes of one document are named ${name}.`);
    this.known.set(name, type);
  }
}
