import { describe, expect, it } from '@jest/globals';
import { resourceRefusals } from '@truetally/contracts/resource';
import { entryCursor, readEntryCursor } from './entry-cursor.js';
import type { OrderRecord } from './order-record.js';

/** Only its position matters. */
const at = (order_sequence: string) => ({ order_sequence }) as OrderRecord;

describe('the cursor of a page of entries', () => {
  it('the cursor of a page is its last entry, and none when that is the last of the order', () => {
    expect(entryCursor([at('1'), at('2')], at('3'))).toBe('2');
    expect(entryCursor([at('1'), at('2')], at('2'))).toBeNull();
    expect(entryCursor([], at('2'))).toBeNull();
  });

  it('the cursor of a page is read as the position after which the next page begins', () => {
    expect(readEntryCursor(null)).toBe(0);
    expect(['1', '10', '2000', '999999999'].map(readEntryCursor)).toEqual([1, 10, 2_000, 999_999_999]);
  });

  it.each(['', '0', '01', '-1', '1.5', '1e3', ' 1', '1 ', 'x1', '1x', '1000000000'])(
    'a cursor of entries is not %p',
    (cursor) => {
      expect(readEntryCursor(cursor)).toBeUndefined();
    },
  );

  it('an invalid cursor is named when it is refused', () => {
    expect(resourceRefusals.badCursor().error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { cursor: ['must be the next_cursor of a page'] },
    });
  });
});
