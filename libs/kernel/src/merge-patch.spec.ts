import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergePatch, patchFields } from './merge-patch.js';

describe('a merge patch', () => {
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('a merge patch of %j with %j is %j (RFC 7396, appendix A)', (target, patch, expected) => {
    expect(mergePatch(target, patch)).toEqual(expected);
  });

  const json = fc.jsonValue();

  it('changes nothing when it is empty, and has the same effect when it is repeated', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), json, (target, patch) => {
        expect(mergePatch(target, {})).toEqual(target);
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('leaves the value that it is applied to as it is', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify(target);
        mergePatch(target, patch);
        expect(JSON.stringify(target)).toBe(before);
      }),
    );
  });
});

describe('a patch of the fields of a resource', () => {
  it.each<[object, unknown, unknown]>([
    [{ a: 'b', c: null }, { a: null, c: null }, {}],
    [{ a: 'b' }, { strange: null }, { a: 'b', strange: null }],
    [{ a: { b: 1 } }, { a: { strange: null } }, { a: { b: 1 } }],
    [{ a: 'b' }, { strange: 1 }, { a: 'b', strange: 1 }],
    [{ a: 'b' }, null, null],
    [{ a: 'b' }, ['a'], ['a']],
  ])(
    'a patch of resource fields of %j with %j is %j: names that it does not have stay to be refused',
    (fields, patch, expected) => {
      expect(patchFields(fields, patch)).toEqual(expected);
    },
  );
});
