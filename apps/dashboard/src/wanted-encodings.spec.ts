import { expect, it } from '@jest/globals';
import { wantedEncodings } from './wanted-encodings.js';

it('codings that are refused by q=0 are left out, and no others', () => {
  expect(wantedEncodings('br;q=0, gzip; Q=0.000 , *;q=0.01,deflate ;q=1')).toEqual(['*', 'deflate']);
  expect(wantedEncodings('br; q=0.')).toEqual([]);
  expect(wantedEncodings('BR, gzip')).toEqual(['br', 'gzip']);
});

it('a header of any length is read once', () => {
  const long = 300_000;
  for (const text of [
    'a'.repeat(long),
    ' '.repeat(long),
    `a;${' '.repeat(long)}q`,
    `a;q=0${' '.repeat(long)}b`,
  ])
    expect(wantedEncodings(text)).toHaveLength(1);
  expect(wantedEncodings('a;q=0,'.repeat(long))).toEqual(['']);
});
