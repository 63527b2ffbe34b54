import { type ListLimits, list, type Rule, ruleOf } from './rules.js';
import { isJsonObject, shapeOf } from './shape.js';

/** The only possible value of an answer's field; an `enum` with its type, because generators of clients trip over `const`. */
export function always(only: boolean | string): Rule {
  const demand = `must be ${JSON.stringify(only)}`;
  return ruleOf({ type: typeof only, enum: [only] }, (value) =>
    value === only ? undefined : `${demand}; got ${shapeOf(value)}`,
  );
}

/** No value at all. */
export const nothing = ruleOf({ not: {} }, (value) => `must be absent; got ${shapeOf(value)}`);

/** An object of any names, whose values obey the rule. */
export function mapOf(rule: Rule): Rule {
  return ruleOf(
    { type: 'object', additionalProperties: rule.schema },
    (value) => {
      if (!isJsonObject(value)) return `must be an object; got ${shapeOf(value)}`;
      return Object.values(value)
        .map(rule)
        .find((message) => message !== undefined);
    },
    rule.formats,
  );
}

/** A list whose items obey the rule, where the list is itself an item or a value. */
export function listOf(rule: Rule, limits: ListLimits): Rule {
  const isList = list(limits);
  return ruleOf(
    { ...isList.schema, items: rule.schema },
    (value) =>
      isList(value) ??
      (value as readonly unknown[]).map((item) => rule(item)).find((message) => message !== undefined),
    rule.formats,
  );
}
