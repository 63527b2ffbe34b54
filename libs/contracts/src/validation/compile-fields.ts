import { getMetadataStorage } from 'class-validator/cjs/metadata/MetadataStorage.js';
import { isNotAbsent, isNotNull, type RuleConstraint } from './decorators.js';
import { type Rule } from './rules.js';

/** The class of a DTO, without constructor arguments. */
export type DtoClass<T extends object> = new () => T;

/** A DTO class as plain data: its fields in the order of declaration, and their names. */
export interface CompiledClass {
  readonly type: DtoClass<object>;
  /** Name of the class. */
  readonly name: string;
  readonly fields: readonly CompiledField[];
  readonly names: ReadonlySet<string>;
}

export interface CompiledField {
  readonly name: string;
  readonly isOptional: boolean;
  /** Always present, possibly null. */
  readonly isNullable: boolean;
  /** Absent or a value, but never null. */
  readonly isOmittable: boolean;
  readonly rules: readonly Rule[];
  readonly itemRule: Rule | undefined;
  readonly nested: CompiledClass | undefined;
  readonly nestedItems: CompiledClass | undefined;
  /** The class of items that are validated elsewhere. */
  readonly judgedBy: CompiledClass | undefined;
  /** The member that must be unique among the items. */
  readonly distinctBy: string | undefined;
  readonly alternatives: CompiledAlternatives | undefined;
}

/** The classes of an object of several kinds; a field beside it selects one. */
export interface CompiledAlternatives {
  readonly kindField: string;
  readonly byKind: ReadonlyMap<unknown, CompiledClass>;
}

/** @throws Error for a class that has no decorated field, one with a decorator that is not of this library, or two objects of several kinds */
export function compileClass(dto: DtoClass<object>): CompiledClass {
  const storage = getMetadataStorage();
  const metadata = storage.getTargetValidationMetadatas(dto, '', false, false);
  const byField = Object.entries(storage.groupByPropertyName(metadata));
  if (byField.length === 0) throw new Error(`${dto.name} has no decorated field.`);
  const fields = byField.map(([name, ofField]) => {
    const constraints: RuleConstraint[] = [];
    let isOptional = false;
    let isNullable = false;
    let isOmittable = false;
    for (const item of ofField) {
      // class-validator's own decorators leave none.
      const [constraint]: readonly unknown[] = item.constraints ?? [];
      if (item.type === 'customValidation' && isRuleConstraint(constraint)) {
        constraints.push(constraint);
      } else if (item.type === 'conditionalValidation' && item.name === 'isOptional') {
        isOptional = true;
      } else if (item.type === 'conditionalValidation' && constraint === isNotNull) {
        isNullable = true;
      } else if (item.type === 'conditionalValidation' && constraint === isNotAbsent) {
        isOmittable = true;
      } else if (item.type !== 'nestedValidation') {
        throw new Error(
          `${dto.name}.${name} has a decorator that is not of this library: ${item.name ?? item.type}.`,
        );
      }
    }
    return compileField(name, { isOptional, isNullable, isOmittable }, constraints);
  });
  // The schema of a class tells of one; a second one would be in no document.
  if (fields.filter(({ alternatives }) => alternatives !== undefined).length > 1)
    throw new Error(`${dto.name} has more than one object of several kinds.`);
  return { type: dto, name: dto.name, fields, names: new Set(fields.map(({ name }) => name)) };
}

function compileField(
  name: string,
  absence: Pick<CompiledField, 'isNullable' | 'isOmittable' | 'isOptional'>,
  constraints: readonly RuleConstraint[],
): CompiledField {
  const all: Partial<RuleConstraint> = Object.assign({}, ...constraints);
  const { itemRule, nested, nestedItems, judgedBy, distinctBy, alternatives } = all;
  return {
    name,
    ...absence,
    rules: constraints.map((constraint) => constraint.rule),
    itemRule,
    nested: nested === undefined ? undefined : compileClass(nested()),
    nestedItems: nestedItems === undefined ? undefined : compileClass(nestedItems()),
    judgedBy: judgedBy === undefined ? undefined : compileClass(judgedBy()),
    distinctBy,
    alternatives: alternatives === undefined ? undefined : compileAlternatives(alternatives),
  };
}

function compileAlternatives({
  kindField,
  byKind,
}: NonNullable<RuleConstraint['alternatives']>): CompiledAlternatives {
  const compiled = Object.entries(byKind).map(([kind, type]) => [kind, compileClass(type())] as const);
  return { kindField, byKind: new Map(compiled) };
}

function isRuleConstraint(value: unknown): value is RuleConstraint {
  return typeof value === 'object' && value !== null && 'rule' in value && typeof value.rule === 'function';
}
