import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import * as attribution from '../attribution/index.js';
import * as events from '../events/index.js';
import * as experiments from '../experiments/index.js';
import * as http from '../http/index.js';
import * as jobs from '../jobs/index.js';
import * as management from '../management/index.js';
import * as operations from '../operations/index.js';
import * as publisher from '../publisher/index.js';
import * as resource from '../resource/index.js';
import * as runtime from '../runtime/index.js';
import { compileClass, type DtoClass } from './compile-fields.js';
import { compileSchema, DISTINCT_BY } from './compile-schema.js';
import { compileValidator, type ValidatorOptions } from './compile-validator.js';
import { valuesOf } from '../testing/schema-values.js';

const AREAS = [
  attribution,
  events,
  experiments,
  http,
  jobs,
  management,
  operations,
  publisher,
  resource,
  runtime,
];

describe.each(dtoClasses())('the JSON Schema of %s', (_name, dto) => {
  it.each<NonNullable<ValidatorOptions['unknownFields']>>(['ignored', 'refused', 'refused-everywhere'])(
    'takes what the validator takes, unknown fields being %s',
    (unknownFields) => {
      const validate = compileValidator(dto, { unknownFields });
      const { schema, formats } = compileSchema(dto, { unknownFields });
      for (const [name, check] of Object.entries(formats)) AJV.addFormat(name, check);
      const accepts = AJV.compile(schema);
      let taken = 0;
      const areOfOneMind = (value: unknown): void => {
        const isTaken = validate(value).length === 0;
        taken += isTaken ? 1 : 0;
        // Fifty thousand of Jest's own comparisons would be an eighth of the suite's time.
        if (accepts(value) !== isTaken) expect({ value, isTaken: !isTaken }).toEqual({ value, isTaken });
      };
      fc.assert(fc.property(valuesOf(schema, false), areOfOneMind), { numRuns: RUNS, endOnFailure: true });
      fc.assert(fc.property(valuesOf(schema, true), areOfOneMind), { numRuns: RUNS, endOnFailure: true });
      // If everything were refused, or nothing, the two would agree trivially.
      expect(taken).toBeGreaterThan(0);
      for (const value of NO_OBJECTS) {
        expect({ value, isTaken: accepts(value) }).toEqual({ value, isTaken: false });
        expect(validate(value)).not.toEqual([]);
      }
    },
  );
});

const RUNS = 40;
const NO_OBJECTS = [null, 42, 'text', []];
/** For all, because each would compile the schema of schemas again. Its optimizer takes longer than what it saves. */
const AJV = newAjv();

/** Every class of a body that clients send, and of an answer. */
function dtoClasses(): readonly (readonly [string, DtoClass<object>])[] {
  return AREAS.flatMap((area) => Object.entries<unknown>(area)).filter(
    (entry): entry is [string, DtoClass<object>] => isDto(entry[1]),
  );
}

function isDto(value: unknown): value is DtoClass<object> {
  if (typeof value !== 'function' || !/^class /.test(Function.prototype.toString.call(value))) return false;
  // A class with methods is no body and no answer.
  if (Object.getOwnPropertyNames(value.prototype).some((name) => name !== 'constructor')) return false;
  return compileClass(value as DtoClass<object>).fields.length > 0;
}

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    code: { optimize: false },
  });
  ajv.addKeyword({
    keyword: DISTINCT_BY,
    type: 'array',
    schemaType: 'string',
    validate: (name: string, items: readonly unknown[]) => {
      const texts = items.flatMap((item) => textsAt(item, name));
      return new Set(texts).size === texts.length;
    },
  });
  return ajv;
}

function textsAt(item: unknown, name: string): readonly string[] {
  const text: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, name) : undefined;
  return typeof text === 'string' && text !== '' ? [text] : [];
}
