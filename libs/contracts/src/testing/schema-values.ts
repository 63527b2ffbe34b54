import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import type { JsonSchema } from '../validation/rules.js';

interface Examples {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

/** Texts of a format, and near misses. */
const FORMATS: Readonly<Record<string, Examples>> = {
  'date-time': {
    good: ['2026-01-31T09:30:00Z', '2024-02-29T23:59:59.123456+05:30'],
    bad: ['2026-02-30T00:00:00Z', '2026-01-31', '2026-01-31T09:30:00'],
  },
  'http-url': {
    good: ['https://shop.example/a?b#c', 'http://[::1]:80/'],
    bad: ['ftp://shop.example/', 'https://shop example/', 'shop.example'],
  },
  'link-url': {
    good: ['https://shop.example/a?b#c'],
    bad: ['https://me@shop.example/', 'https://shop.example/"', 'https://shop.example/\u202e'],
  },
  'base-url': {
    good: ['https://api.example/v1'],
    bad: ['https://api.example/?q=1', 'https://me@api.example/'],
  },
  'feed-url': {
    good: ['https://shop.example/feed.xml?lang=de&user=me@shop.example'],
    bad: ['https://shop.example/#part', 'https://me@shop.example/'],
  },
  'webhook-url': {
    good: ['https://crm.example/hook?shop=1'],
    bad: ['https://crm.example/#part', 'https://me@crm.example/'],
  },
  'webhook-secret': {
    good: [`whsec_${'A'.repeat(32)}`, `whsec_${'A'.repeat(43)}=`],
    bad: ['whsec_short', 'A'.repeat(32), `whsec_${'-'.repeat(32)}`],
  },
  moment: {
    good: ['2026-03-29', '2026-03-29T02:30:00+02:00'],
    bad: ['2026-13-01', '2026-03-29T02:30:00', 'yesterday'],
  },
  currency: { good: ['EUR', 'JPY'], bad: ['eur', 'XXX', 'ZZZ'] },
  hostname: {
    good: ['shop.example', 'SHOP.example', 'münchen.example'],
    bad: ['https://shop.example', 'a b'],
  },
  origin: {
    good: ['https://shop.example', 'http://localhost:3000'],
    bad: ['https://shop.example/', '*', 'https://*.example'],
  },
  'time-zone': { good: ['UTC', 'Europe/Berlin'], bad: ['Europe/Nowhere', '+01:00'] },
  email: {
    good: ['ann@shop.example', 'ANN@SHOP.EXAMPLE'],
    bad: ['ann', '@shop.example', 'änn@shop.example'],
  },
};

/** Examples for patterns; each is accepted by some pattern. */
const EXAMPLES = [
  '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  '6F9619FF-8B86-4D01-B42D-00CF4FC964FF',
  'awin',
  'a1b2c3d4',
  `ck_a1b2c3d4_${'A'.repeat(43)}`,
  'en-GB',
  'e',
  '12.50',
  `${'0'.repeat(50)}1.${'1'.repeat(40)}00`,
  '1'.repeat(41),
  '-0',
  'ann@shop.example',
  'a'.repeat(64),
  '7',
  '2026-03-01',
  '12345678',
];

const JUNK = fc.oneof(
  fc.constantFrom(null, true, '', ' ', '\0', '\ud800', '\u{1f600}', 0, -1, 1.5, 1e300, [], {}),
  // No schema counts decimals.
  fc.jsonValue().filter((value) => typeof value !== 'number' || !String(value).includes('e-')),
);

/** One item more than a longer list may have costs more than it shows. */
const LONGEST_LIST = 1_000;

/** Percentage of values of the wrong type. */
const MISTAKES_OF_HUNDRED = 4;

/**
 * Values that a schema accepts, nearly always; with `mistakes`, values that sometimes break one of its rules.
 */
export function valuesOf(root: JsonSchema, mistakes: boolean): fc.Arbitrary<unknown> {
  return new Values(root, mistakes).valueOf(root);
}

class Values {
  constructor(
    private readonly root: JsonSchema,
    private readonly mistakes: boolean,
  ) {}

  valueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
    return this.orMistake(this.goodValueOf(schema), JUNK);
  }

  private goodValueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
    const { $ref, anyOf, type, enum: allowed, const: only } = schema;
    if (typeof $ref === 'string') return this.valueOf(this.definitionOf($ref));
    if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one: JsonSchema) => this.valueOf(one)));
    if (Array.isArray(allowed)) return fc.constantFrom(...(allowed as unknown[]));
    if (only !== undefined) return fc.constant(only);
    if (Array.isArray(type)) return fc.oneof(...type.map((one: string) => this.goodValueOf({ type: one })));
    if (type === 'string') return this.textOf(schema);
    if (type === 'null') return fc.constant(null);
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer' || type === 'number') return this.numberOf(schema);
    if (type === 'array') return this.listOf(schema);
    return this.objectOf(schema);
  }

  private textOf({ format, pattern, maxLength }: JsonSchema): fc.Arbitrary<string> {
    if (typeof format === 'string') return this.examplesOf(FORMATS[format]);
    const max = typeof maxLength === 'number' ? maxLength : 40;
    const ofForm =
      typeof pattern === 'string'
        ? EXAMPLES.filter((text) => new RegExp(pattern, 'u').test(text))
        : ['a', '\u{1f600}'];
    const good = fc.constantFrom(...ofForm);
    const long = fc.constantFrom('a', '\u{1f600}').map((text) => text.repeat(max + 1));
    const odd = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 8 }),
      long,
      fc.constantFrom(' ', ...EXAMPLES),
    );
    return this.orMistake(good, odd);
  }

  private examplesOf(examples: Examples | undefined): fc.Arbitrary<string> {
    if (examples === undefined) throw new Error('There are no examples of this format.');
    return this.orMistake(fc.constantFrom(...examples.good), fc.constantFrom(...examples.bad));
  }

  private numberOf(schema: JsonSchema): fc.Arbitrary<number> {
    const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    const bounds = [minimum, maximum].filter((bound) => typeof bound === 'number');
    if (exclusiveMinimum === 0 && exclusiveMaximum === 1)
      return this.orMistake(fc.constant(0.5), fc.constantFrom(0, 1));
    const usual =
      typeof exclusiveMinimum === 'number'
        ? [2.5, 1e39, -0]
        : type === 'number' && !(Number(maximum) < 2.5)
          ? [2.5]
          : [];
    const good = fc.constantFrom(...(bounds.length > 0 ? bounds : [1]), ...usual);
    const odd = fc.constantFrom(
      ...bounds.flatMap((bound) => [bound - 1, bound + 1, bound + 0.5]),
      1e41,
      -2.5,
    );
    return this.orMistake(good, odd);
  }

  private listOf({ items, prefixItems, minItems, maxItems }: JsonSchema): fc.Arbitrary<unknown[]> {
    if (Array.isArray(prefixItems)) {
      return fc.tuple(...prefixItems.map((one: JsonSchema) => this.valueOf(one)));
    }
    const [min, max] = [Number(minItems), Number(maxItems)];
    const item = items === undefined ? JUNK : this.valueOf(items as JsonSchema);
    const good = fc.array(item, { minLength: min, maxLength: Math.min(max, min + 2) });
    if (max > LONGEST_LIST) return good;
    return this.orMistake(good, fc.constant(Array.from({ length: max + 1 }, () => 'x')));
  }

  private objectOf(schema: JsonSchema): fc.Arbitrary<object> {
    const { properties, required = [], additionalProperties } = schema;
    if (isSchema(additionalProperties)) {
      return fc.dictionary(fc.string({ maxLength: 4 }), this.valueOf(additionalProperties), { maxKeys: 2 });
    }
    if (properties === undefined) return fc.dictionary(fc.string({ maxLength: 4 }), JUNK, { maxKeys: 2 });
    const needed = required as readonly string[];
    const ofNone = this.membersOf(properties as object, needed);
    const ofKinds = kindsIn(schema).map((kind) => {
      const chosen = { ...(kind.if['properties'] as object), ...(kind.then['properties'] as object) };
      const parts = fc.tuple(ofNone, this.membersOf(chosen, Object.keys(chosen)));
      return parts.map(([object, ofKind]) => ({ ...object, ...ofKind }));
    });
    const good: fc.Arbitrary<object> = ofKinds.length > 0 ? fc.oneof(...ofKinds) : ofNone;
    const lacking = fc
      .tuple(good, fc.constantFrom('', ...needed))
      .map(([object, name]) => without(object, name));
    const named = fc.constantFrom('unknown', 'constructor');
    const more = fc.tuple(good, named).map(([object, name]): object => ({ ...object, [name]: 1 }));
    return this.orMistake(good, fc.oneof(lacking, more, ofNone));
  }

  private membersOf(properties: object, requiredKeys: readonly string[]): fc.Arbitrary<object> {
    const values = Object.entries(properties).map(
      ([name, one]) => [name, this.valueOf(one as JsonSchema)] as const,
    );
    return fc.record(Object.fromEntries(values), { requiredKeys: [...requiredKeys] });
  }

  private orMistake<T>(good: fc.Arbitrary<T>, mistake: fc.Arbitrary<T>): fc.Arbitrary<T> {
    if (!this.mistakes) return good;
    return fc.oneof(
      { weight: 100 - MISTAKES_OF_HUNDRED, arbitrary: good },
      { weight: MISTAKES_OF_HUNDRED, arbitrary: mistake },
    );
  }

  private definitionOf(ref: string): JsonSchema {
    const definition = (this.root['$defs'] as Record<string, JsonSchema>)[ref.replace('#/$defs/', '')];
    if (definition === undefined) throw new Error(`There is no ${ref}.`);
    return definition;
  }
}

interface Kind {
  readonly if: JsonSchema;
  readonly then: JsonSchema;
  readonly else?: JsonSchema;
}

/** What an object may be, one after another. */
function kindsIn(schema: JsonSchema): readonly Kind[] {
  if (!isSchema(schema['if']) || !isSchema(schema['then'])) return [];
  const kind = schema as unknown as Kind;
  return [kind, ...kindsIn(kind.else ?? {})];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

function without(object: object, name: string): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}
