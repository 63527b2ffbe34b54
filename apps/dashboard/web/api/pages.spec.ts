import { describe, expect, it } from '@jest/globals';
import { allItems } from './pages.js';

describe('a list that is read whole', () => {
  it('a list of several pages has the items of all, each page asked for once', async () => {
    const pages = [
      { items: [1, 2], next_cursor: 'b' },
      { items: [], next_cursor: 'c' },
      { items: [3], next_cursor: null },
    ];
    const asked: (string | undefined)[] = [];
    const items = await allItems((cursor) => {
      asked.push(cursor);
      return Promise.resolve(pages[asked.length - 1] ?? { items: [], next_cursor: null });
    });
    expect([items, asked]).toEqual([
      [1, 2, 3],
      [undefined, 'b', 'c'],
    ]);
  });
});
