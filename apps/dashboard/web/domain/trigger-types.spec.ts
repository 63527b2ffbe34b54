import { describe, expect, it } from '@jest/globals';
import { TRIGGER_TYPES, valueOf } from './trigger-types.js';

describe('the conditions of a workflow', () => {
  it('a number and a truth are no texts, and what is written otherwise is', () => {
    expect(
      ['10', '-2.5', 'true', '007', '1e400', '', 'NaN', 'Infinity'].map((text) => valueOf('eq', text)),
    ).toEqual([10, -2.5, true, '007', '1e400', '', 'NaN', 'Infinity']);
  });

  it('a list has each of its values', () => {
    expect(valueOf('in', 'EUR, 5,false')).toEqual(['EUR', 5, false]);
  });

  it('entries of the ledger trigger besides events', () => {
    expect(TRIGGER_TYPES.length).toBe(21);
  });
});
