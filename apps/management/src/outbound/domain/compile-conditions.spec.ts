import { describe, expect, it } from '@jest/globals';
import {
  CONDITION_OPERATORS,
  type ConditionOperator,
  type ConditionScalar,
} from '@truetally/contracts/facts';
import fc from 'fast-check';
import { compileConditions } from './compile-conditions.js';

const holds = (
  operator: ConditionOperator,
  value: ConditionScalar | readonly ConditionScalar[],
  fact: unknown,
) => compileConditions({ match: 'all', conditions: [{ field: 'properties.x', operator, value }] })(fact);
const given = (x: unknown) => ({ properties: { x } });
const scalar = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean());
const ordered = fc.oneof(
  fc.tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true })),
  fc.tuple(fc.string(), fc.string()),
);

describe('conditions of workflows', () => {
  it.each(CONDITION_OPERATORS)('%s says of an absent field and of null what the page says', (operator) => {
    const isMet = operator === 'ne';
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double({ noNaN: true })), (value) => {
        const wanted = operator === 'in' ? [value] : operator === 'exists' ? true : value;
        for (const fact of [{}, { properties: {} }, given(null), { properties: 'x' }, null, 7])
          expect(holds(operator, wanted, fact)).toBe(isMet);
        expect(holds('exists', false, {})).toBe(true);
      }),
    );
  });

  it('eq, ne and in agree for every type', () => {
    fc.assert(
      fc.property(scalar, scalar, (x, value) => {
        expect(holds('ne', value, given(x))).toBe(!holds('eq', value, given(x)));
        expect(holds('in', [value], given(x))).toBe(holds('eq', value, given(x)));
        expect(holds('eq', x, given(x))).toBe(true);
        expect(holds('exists', true, given(x))).toBe(true);
      }),
    );
  });

  it('exactly one of lt, eq and gt holds for two numbers or two texts', () => {
    fc.assert(
      fc.property(ordered, ([x, value]) => {
        const [less, equal, greater] = (['lt', 'eq', 'gt'] as const).map((one) =>
          holds(one, value, given(x)),
        );
        expect([less, equal, greater].filter(Boolean)).toHaveLength(1);
        expect(holds('lte', value, given(x))).toBe(less === true || equal === true);
        expect(holds('gte', value, given(x))).toBe(greater === true || equal === true);
      }),
    );
  });

  it.each(['gt', 'gte', 'lt', 'lte'] as const)(
    '%s never holds between values without an order',
    (operator) => {
      const others = fc.oneof(fc.boolean(), fc.constant([]), fc.constant({}), fc.constant('no number'));
      fc.assert(fc.property(others, (x) => expect(holds(operator, 5, given(x))).toBe(false)));
    },
  );

  it('contains finds parts of texts and items of lists, and nothing in other values', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, part, after) => {
        expect(holds('contains', part, given(before + part + after))).toBe(true);
        expect(holds('contains', part, given([before, part]))).toBe(true);
      }),
    );
    for (const x of [5, true, {}, null]) expect(holds('contains', 'x', given(x))).toBe(false);
    expect(holds('contains', 2, given([1, 2]))).toBe(true);
  });

  it('a list is read once, however many conditions ask for its items', () => {
    let reads = 0;
    const items = new Proxy(['1', '2.50', 'a'], {
      get: (list, name) => {
        if (name === '0') reads += 1;
        return Reflect.get(list, name) as unknown;
      },
    });
    const fact = given(items);
    const found = [1, 2.5, '2.5', 'a', 3, 'b'].map((value) => holds('contains', value, fact));
    expect({ found, reads }).toEqual({ found: [true, true, true, true, false, false], reads: 1 });
  });

  it('amounts of the ledger are compared exactly with numbers', () => {
    expect(holds('gt', 10, given('9007199254740993.01'))).toBe(true);
    expect(holds('eq', 10, given('10.00'))).toBe(true);
    expect(holds('lt', 0, given('-0.01'))).toBe(true);
    expect(holds('eq', 0.3, given('0.30'))).toBe(true);
  });

  it('amounts of the ledger are compared exactly with amounts that are written as texts', () => {
    expect(holds('gte', '10.000', given('9.999'))).toBe(false);
    expect(holds('gt', '9007199254740993', given('9007199254740993.01'))).toBe(true);
    expect(holds('lt', '-2', given('-10.00'))).toBe(true);
    expect([holds('eq', '10', given('10.00')), holds('ne', '10', given('10.01'))]).toEqual([true, true]);
  });

  it('a number and a decimal text of it are equal, whichever of them is the field', () => {
    expect(holds('eq', '10.00', given(10))).toBe(true);
    expect(holds('in', ['a', '10'], given(10))).toBe(true);
    expect(holds('contains', '10', given([10]))).toBe(true);
    expect(holds('gt', '9', given(10))).toBe(true);
    expect(holds('lte', '9.99', given(10))).toBe(false);
    expect(holds('ne', '10.0', given(10))).toBe(false);
  });

  it.each(['010', '1e1', ' 10', '+10', '10.', '.5'])(
    'the text %j is a name, and no amount that a number could equal',
    (text) => {
      expect(holds('eq', Number(text), given(text))).toBe(false);
      expect(holds('eq', text, given(Number(text)))).toBe(false);
      expect(holds('gt', 0, given(text))).toBe(false);
    },
  );

  it('numbers that a double would change are compared by the nearest one, and have no members', () => {
    const long = JSON.rawJSON('12345678901234567890.5');
    expect(holds('gt', 5, given(long))).toBe(true);
    expect(holds('eq', 12345678901234567890, given(long))).toBe(true);
    expect(holds('contains', 12345678901234567890, given([long]))).toBe(true);
    const conditions = [{ field: 'properties.x.rawJSON', operator: 'exists', value: true }] as const;
    expect(compileConditions({ match: 'all', conditions })(given(long))).toBe(false);
  });

  it('paths read own members alone', () => {
    const reading = (field: string) =>
      compileConditions({ match: 'all', conditions: [{ field, operator: 'exists', value: true }] });
    for (const field of ['properties.constructor', 'properties.__proto__', 'properties.x.length'])
      expect(reading(field)(given('text'))).toBe(false);
    expect(reading('properties.x.0')(given(['a']))).toBe(true);
  });

  it('all needs every condition, any needs one, and none is met by everything', () => {
    const conditions = [
      { field: 'properties.x', operator: 'eq', value: 1 },
      { field: 'properties.x', operator: 'eq', value: 2 },
    ] as const;
    expect(compileConditions({ match: 'all', conditions })(given(1))).toBe(false);
    expect(compileConditions({ match: 'any', conditions })(given(1))).toBe(true);
    expect(compileConditions({ match: 'any', conditions: [] })(given(1))).toBe(true);
  });
});
