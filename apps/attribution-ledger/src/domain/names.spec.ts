import { describe, expect, it } from '@jest/globals';
import { conversionIdOf, recordIdOf, touchRowIdOf } from './names.js';

const SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01';
const OTHER_SITE = '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e02';

describe('ids that are derived from names', () => {
  it('differ with every part of the name, and with its kind', () => {
    const ids = [
      conversionIdOf(SITE, 'order'),
      conversionIdOf(SITE, 'other'),
      conversionIdOf(OTHER_SITE, 'order'),
      touchRowIdOf(SITE, 'order'),
      touchRowIdOf(SITE, 'other'),
      touchRowIdOf(OTHER_SITE, 'order'),
      recordIdOf(SITE, 'order', 1),
      recordIdOf(SITE, 'order', 2),
      recordIdOf(SITE, 'other', 1),
      recordIdOf(OTHER_SITE, 'order', 1),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('derived ids are those of every earlier release, by which stored rows are found', () => {
    expect([
      conversionIdOf(SITE, 'order'),
      recordIdOf(SITE, 'order', 1),
      touchRowIdOf(SITE, 'touch'),
    ]).toEqual([
      'e8abef78-99e9-85b8-8c77-6a573205d493',
      '824defcc-13ea-85bf-8172-f232ee688f3a',
      'c40d6337-2d2b-8d20-8de4-a4f9b36a88f8',
    ]);
  });
});
