import { describe, expect, it } from '@jest/globals';
import { mergePatch } from '@truetally/kernel';
import fc from 'fast-check';
import { differences, replacingPatch } from './replacing-patch.js';

const text = fc.constantFrom('title', 'body', 'cta', 'quiz');
const content = fc.letrec<{ readonly object: object; readonly value: unknown }>((tie) => ({
  object: fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  value: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), fc.array(fc.string()), tie('object')),
})).object;

describe('a patch that replaces', () => {
  it('a patch makes any object the other one, and names all that the other one has', () => {
    fc.assert(
      fc.property(content, content, (before, after) => {
        const patch = replacingPatch(before, after);
        expect(mergePatch(before, patch)).toEqual(mergePatch({}, after));
        expect(patch).toMatchObject(after);
      }),
    );
  });

  it('differences are empty exactly for equal objects, and name each place', () => {
    fc.assert(
      fc.property(content, content, (mine, theirs) => {
        expect(differences(mine, mine)).toEqual([]);
        const isEqual = JSON.stringify(sorted(mine)) === JSON.stringify(sorted(theirs));
        if (isEqual) expect(differences(mine, theirs)).toEqual([]);
      }),
    );
    const mine = { name: 'A', content: { title: 'x', cta: { label: 'go' } } };
    const theirs = { name: 'A', content: { title: 'y', list: [1] } };
    expect(differences(mine, theirs)).toEqual([
      { path: 'content.title', mine: 'x', theirs: 'y' },
      { path: 'content.cta', mine: '{"label":"go"}', theirs: '' },
      { path: 'content.list', mine: '', theirs: '[1]' },
    ]);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}
