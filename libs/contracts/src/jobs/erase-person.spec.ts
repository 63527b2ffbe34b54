import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ERASE_PERSON, erasePersonOf, SUBJECTS_PER_STEP } from './index.js';

const ID = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const PARAMS = { erasure_id: ID, site_id: ID };
const STEP = { job_id: ID, step: ERASE_PERSON, params: PARAMS, cursor: null };

describe('erasePersonOf', () => {
  it('a step names the person by id, or by sessions and clicks', () => {
    const byId = erasePersonOf({ ...STEP, params: { ...PARAMS, user_id: 'ann' } });
    expect(byId).toMatchObject({ value: { userId: 'ann', subjects: { sessionIds: [], eventIds: [] } } });
    const subjects = JSON.stringify(['session:a:b', `event:${ID}`, 'event:none', 'other:c']);
    const bySubjects = erasePersonOf({ ...STEP, params: { ...PARAMS, subjects } });
    expect(bySubjects).toMatchObject({
      value: { userId: null, subjects: { sessionIds: ['a:b'], eventIds: [ID] } },
    });
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['an erasure', { site_id: ID }, 'params.erasure_id'],
    ['a site', { erasure_id: ID, site_id: 'x' }, 'params.site_id'],
    ['a list of subjects', { ...PARAMS, subjects: '{' }, 'params.subjects'],
    [
      'a bounded list of subjects',
      { ...PARAMS, subjects: JSON.stringify(Array(SUBJECTS_PER_STEP + 1).fill('session:a')) },
      'params.subjects',
    ],
  ])('a step without %s is refused by the name of the parameter', (_, params, name) => {
    const read = erasePersonOf({ ...STEP, params });
    expect(read.ok ? [] : Object.keys(read.error.details)).toEqual([name]);
  });

  it('a step with any parameters never throws, and pieces have names of their own', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (params) => {
        expect(erasePersonOf({ ...STEP, params }).ok).toBe(false);
      }),
    );
    const names = [STEP, { ...STEP, cursor: 'a' }, { ...STEP, cursor: 'b' }].map((step) => {
      const read = erasePersonOf(step);
      return read.ok ? read.value.name : '';
    });
    expect(new Set(names).size).toBe(3);
  });
});
