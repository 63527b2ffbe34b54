import { describe, expect, it } from '@jest/globals';
import { type ProfileFields, type ProfilePatch, readProfilePatch } from '@truetally/contracts/management';
import fc from 'fast-check';
import { isSameProfile, mergeProfile } from './profile.js';

const text = fc.option(fc.constantFrom('a', 'b', 'c'));
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.integer(),
    fc.constantFrom('x', 'y'),
    fc.array(fc.integer(), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('p', 'q', 'r'), tie('value'), { noNullPrototype: true }),
  ),
})).value;
const attributes = fc.dictionary(fc.constantFrom('p', 'q', 'r'), value, { noNullPrototype: true });
const patch: fc.Arbitrary<ProfilePatch> = fc
  .record(
    { name: text, email: text, phone: text, attributes: fc.option(attributes) },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((fields) => ({ user_id: 'u', ...fields }));

/** What is known after some patches, one after the other. */
const after = (...patches: readonly ProfilePatch[]): ProfileFields =>
  patches.reduce<ProfileFields | undefined>(mergeProfile, undefined) ??
  mergeProfile(undefined, { user_id: 'u' });

describe('mergeProfile', () => {
  it('a merge keeps every field that the row does not name, and takes every one that it names', () => {
    fc.assert(
      fc.property(patch, patch, (first, second) => {
        const [before, merged] = [after(first), after(first, second)];
        for (const field of ['name', 'email', 'phone', 'language'] as const) {
          expect(merged[field]).toBe(Object.hasOwn(second, field) ? second[field] : before[field]);
        }
      }),
    );
  });

  it('a row that is merged twice changes nothing the second time', () => {
    fc.assert(
      fc.property(patch, patch, (first, second) => {
        expect(isSameProfile(after(first, second, second), after(first, second))).toBe(true);
      }),
    );
  });

  it('a merge leaves no null in attributes beside those in lists, and null clears them all', () => {
    const hasNull = (one: unknown): boolean =>
      one === null ||
      (typeof one === 'object' && !Array.isArray(one) && Object.values(one as object).some(hasNull));
    fc.assert(
      fc.property(patch, patch, (first, second) => {
        expect(hasNull(after(first, second).attributes)).toBe(false);
        expect(after(first, { user_id: 'u', attributes: null }).attributes).toEqual({});
      }),
    );
  });

  it('attributes are merged member by member, at any depth', () => {
    const merged = after(
      { user_id: 'u', attributes: { size: { shoe: 41, shirt: 'M' }, tags: ['a'] } },
      { user_id: 'u', attributes: { size: { shirt: null, hat: 7 }, tags: ['b'] } },
    );
    expect(merged.attributes).toEqual({ size: { shoe: 41, hat: 7 }, tags: ['b'] });
  });
});

describe('isSameProfile', () => {
  it('two profiles are the same in whatever order their attributes are written', () => {
    const one = after({ user_id: 'u', attributes: { p: 1, q: { r: 2, p: 3 } } });
    const other = after({ user_id: 'u', attributes: { q: { p: 3, r: 2 }, p: 1 } });
    expect(isSameProfile(one, other)).toBe(true);
    expect(isSameProfile(one, { ...other, name: 'x' })).toBe(false);
  });
});

describe('readProfilePatch', () => {
  it.each<[string, unknown, string]>([
    ['is no object', 7, 'body'],
    ['has no user_id', {}, 'user_id'],
    ['has an unknown field', { user_id: 'u', age: 7 }, 'age'],
    ['has no e-mail address in email', { user_id: 'u', email: 'nobody' }, 'email'],
    ['has too large attributes', { user_id: 'u', attributes: { a: 'x'.repeat(4_200) } }, 'attributes'],
    ['has texts that are too long', { user_id: 'u', name: 'x'.repeat(257) }, 'name'],
  ])('a row that %s is refused by the name of its field', (_, row, field) => {
    const read = readProfilePatch(row);
    expect(read.ok ? [] : Object.keys(read.error)).toContain(field);
  });

  it('a row is canonical: e-mail addresses in lower case, without what may not be stored', () => {
    const row = {
      user_id: 'u',
      email: 'Ann@Shop.Example',
      name: 'A\0',
      attributes: { trust: 'server', a: 1 },
    };
    expect(readProfilePatch(row)).toEqual({
      ok: true,
      value: { user_id: 'u', email: 'ann@shop.example', name: 'A\ufffd', attributes: { a: 1 } },
    });
  });
});
