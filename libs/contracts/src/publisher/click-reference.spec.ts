import { expect, it } from '@jest/globals';
import { referenceMatchFields } from './click-reference.js';

it('a click and a settlement have the same reference whatever white space is at its ends', () => {
  expect(referenceMatchFields('site', '\t ref-1 ')).toEqual(referenceMatchFields('site', 'ref-1'));
  expect(referenceMatchFields('site', 'ref 1')).not.toEqual(referenceMatchFields('site', 'ref1'));
});
